import { callerRoute, operatorRoute, publicRoute, tenantRoute, type Route } from '../../platform/http/route.ts';
import { Done } from '../accounts/accounts.contract.ts';
import type { Pool } from '../pools/index.ts';
import * as contract from './handover.contract.ts';
import * as service from './handover.service.ts';
import { Impersonate, Impersonation, TenantId } from './operators.contract.ts';
import type { Parts } from './operators.service.ts';

const [operatorTag, tag] = ['Operator', 'Sign-in'];
const limit = { name: 'handovers', points: 60, seconds: 60 };

/** From the admin portal into the customer portal, in somebody's place. */
export const handoverRoutes = (
  { portalUrl, ...parts }: Parts & { portalUrl: string | undefined },
  pool: Pool,
): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/tenants/:id/impersonate/handover',
    name: 'offerHandover',
    tag: operatorTag,
    summary: 'Get an address that leads into the customer portal in the place of a member',
    description:
      'Good once and for a minute. The page there says who, in whose place and why, and asks before anything happens; then it is as `impersonate`.',
    permission: 'platform.impersonate.request',
    showsSecret: true,
    limit,
    params: TenantId,
    body: Impersonate,
    answer: contract.Handover,
    handler: (desk, { params, body }, from) =>
      desk.inTenant(params.id, (ctx) => service.offerHandover(ctx, portalUrl, { operator: desk, from }, body)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/impersonations',
    name: 'listImpersonations',
    tag: operatorTag,
    summary: 'List who is in whose place at this moment: the newest hundred',
    permission: 'platform.user.view',
    query: contract.ListVisits,
    answer: contract.RunningVisits,
    handler: (_desk, { query }) => service.listVisits(parts, query.tenantId),
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/handover/preview',
    name: 'previewHandover',
    tag,
    summary: 'Read in whose place a hand-over leads, and leave it good',
    description: 'For the customer portal. 409 `handover_expired`: it was used, or is older than a minute.',
    permission: 'public',
    limit,
    body: contract.HandoverCode,
    answer: contract.HandoverPreview,
    handler: ({ body }) => service.lookAtHandover(parts, body.code),
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/handover',
    name: 'takeHandover',
    tag,
    summary: 'Exchange the code of a hand-over for an access token',
    description: 'For the customer portal. For fifteen minutes, with nothing to renew it with.',
    permission: 'public',
    showsSecret: true,
    limit,
    body: contract.HandoverCode,
    answer: Impersonation,
    handler: ({ body }, from) => service.takeHandover(parts, pool, body.code, from),
  }),
  callerRoute({
    method: 'POST',
    path: '/auth/handover/end',
    name: 'endHandover',
    tag,
    summary: 'Leave the place of a member, with the token you were lent',
    description: 'Its token stops within five seconds.',
    permission: 'any',
    answer: Done,
    handler: async (caller, _input, from) => {
      await service.leave(parts, caller, from);
      return { status: 'done' as const };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/impersonations',
    name: 'listRunningImpersonations',
    tag: 'Members',
    summary: 'List operators of this service who act in the place of your members at this moment',
    description: 'What was is in your audit log.',
    permission: 'member.view',
    answer: contract.RunningImpersonations,
    handler: (ctx) => service.visitsOfTenant(ctx),
  }),
];
