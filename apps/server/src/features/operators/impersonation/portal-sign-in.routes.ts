import { callerRoute, operatorRoute, publicRoute, tenantRoute, type Route } from '../../../platform/http/route.ts';
import { Done } from '../../accounts/accounts.contract.ts';
import type { Pool } from '../../pools/index.ts';
import * as contract from './portal-sign-in.contract.ts';
import * as service from './portal-sign-in.service.ts';
import { Impersonate, Impersonation, TenantId } from '../operators.contract.ts';
import type { OperatorDeps } from '../operators.service.ts';

const [operatorTag, tag] = ['Operator', 'Sign-in'];
const limit = { name: 'impersonation-links', points: 60, seconds: 60 };

/** Impersonation in the customer portal, started from the admin portal. */
export const portalSignInRoutes = (
  { portalUrl, ...deps }: OperatorDeps & { portalUrl: string | undefined },
  pool: Pool,
): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/tenants/:id/impersonate/portal-link',
    name: 'createImpersonationLink',
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
    response: contract.ImpersonationLink,
    handler: (operator, { params, body }, requestInfo) =>
      operator.inTenant(params.id, (ctx) =>
        service.createImpersonationLink(ctx, portalUrl, { operator, requestInfo }, body),
      ),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/impersonations',
    name: 'listImpersonations',
    tag: operatorTag,
    summary: 'List active impersonations',
    permission: 'platform.user.view',
    query: contract.ListImpersonations,
    response: contract.TenantImpersonations,
    handler: (_operator, { query }) => service.listImpersonations(deps, query.tenantId),
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/impersonation/preview',
    name: 'previewImpersonation',
    tag,
    summary: 'Preview an impersonation link without using it',
    description: 'For the customer portal. 409 `impersonation_link_expired`: it was used, or is older than a minute.',
    permission: 'public',
    limit,
    body: contract.ImpersonationCode,
    response: contract.ImpersonationPreview,
    handler: ({ body }) => service.previewImpersonation(deps, body.code),
  }),
  publicRoute({
    method: 'POST',
    path: '/auth/impersonation',
    name: 'startImpersonation',
    tag,
    summary: 'Exchange an impersonation code for an access token',
    description: 'For the customer portal. The token expires in 15 minutes and can’t be refreshed.',
    permission: 'public',
    showsSecret: true,
    limit,
    body: contract.ImpersonationCode,
    response: Impersonation,
    handler: ({ body }, requestInfo) => service.startImpersonation(deps, pool, body.code, requestInfo),
  }),
  callerRoute({
    method: 'POST',
    path: '/auth/impersonation/end',
    name: 'leaveImpersonation',
    tag,
    summary: 'Stop impersonating',
    description: 'The token stops working within five seconds.',
    permission: 'any',
    response: Done,
    handler: async (caller, _input, requestInfo) => {
      await service.leaveImpersonation(deps, caller, requestInfo);
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
    response: contract.RunningImpersonations,
    handler: (ctx) => service.impersonationsOfTenant(ctx),
  }),
];
