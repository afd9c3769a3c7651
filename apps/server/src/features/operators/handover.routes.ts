import { callerRoute, operatorRoute, publicRoute, tenantRoute, type Route } from '../../platform/http/route.ts';
import { Done } from '../accounts/accounts.contract.ts';
import type { Pool } from '../pools/index.ts';
import * as contract from './handover.contract.ts';
import * as service from './handover.service.ts';
import { Impersonate, Impersonation, TenantId } from './operators.contract.ts';
import type { Parts } from './operators.service.ts';

const [operatorTag, tag] = ['Operator', 'Sign-in'];
const limit = { name: 'impersonation-links', points: 60, seconds: 60 };

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
    summary: 'Create a link to impersonate a member in the customer portal',
    description:
      'Works once and expires in one minute. The page shows who is impersonating whom and why, and asks for confirmation; after that it works like `impersonate`.',
    permission: 'platform.impersonate.request',
    stepUp: true,
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
    summary: 'List active impersonations',
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
    summary: 'Preview an impersonation link without using it',
    description: 'For the customer portal. 409 `impersonation_link_expired`: it was used, or is older than a minute.',
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
    summary: 'Exchange an impersonation code for an access token',
    description: 'For the customer portal. The token expires in 15 minutes and can’t be refreshed.',
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
    summary: 'Stop impersonating',
    description: 'The token stops working within five seconds.',
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
    summary: 'List operators currently impersonating your members',
    description: 'Past impersonations are in your audit log.',
    permission: 'member.view',
    bindings: [],
    answer: contract.RunningImpersonations,
    handler: (ctx) => service.visitsOfTenant(ctx),
  }),
];
