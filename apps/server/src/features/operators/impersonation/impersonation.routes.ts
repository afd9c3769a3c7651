import { operatorRoute, type Route } from '../../../platform/http/route.ts';
import { Done } from '../../accounts/accounts.contract.ts';
import type { Pool } from '../../pools/index.ts';
import * as service from './impersonation.service.ts';
import { portalSignInRoutes } from './portal-sign-in.routes.ts';
import * as contract from '../operators.contract.ts';
import type { OperatorDeps } from '../operators.service.ts';

const tag = 'Operator';
const done = { status: 'done' as const };

/** Only with our own customer pool: we can't issue tokens for users of an external issuer. */
export const impersonationRoutes = (deps: OperatorDeps & { portalUrl: string | undefined }, pool: Pool): Route[] => [
  ...portalSignInRoutes(deps, pool),
  operatorRoute({
    method: 'POST',
    path: '/admin/tenants/:id/impersonate',
    name: 'impersonate',
    tag,
    summary: 'Impersonate a member',
    description:
      'Requires a reason and lasts 15 minutes. Returns an access token for the customer pool with an `act` claim. It has the member’s permissions, except for anything about people, keys, billing or deleting the tenant. ' +
      'The tenant sees who impersonated whom and why in its audit log, and the member sees it in their sessions.',
    permission: 'platform.impersonate.request',
    stepUp: true,
    showsSecret: true,
    params: contract.TenantId,
    body: contract.Impersonate,
    response: contract.Impersonation,
    handler: async (operator, { params, body }, requestInfo) => {
      await pool.provider(); // loads its keys before the transaction starts
      return operator.inTenant(params.id, (ctx) => service.impersonate(ctx, pool, { operator, requestInfo }, body));
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/impersonations/:sessionId/end',
    name: 'endImpersonation',
    tag,
    summary: 'End an impersonation',
    description:
      'Its token stops working within five seconds. Only for the operator who started it, or a platform admin.',
    permission: 'platform.impersonate.request',
    params: contract.ImpersonationId,
    response: Done,
    handler: async (operator, { params }, requestInfo) => {
      const request = { operator, requestInfo };
      const session = await service.findImpersonation(deps, operator, params.sessionId);
      // Ending an expired impersonation is not an error. Its tenant may be deleted by now.
      if (session.isOver) return done;
      return operator.inTenant(session.tenantId, (ctx) =>
        service.endImpersonation(ctx, deps, request, session).then(() => done),
      );
    },
  }),
];
