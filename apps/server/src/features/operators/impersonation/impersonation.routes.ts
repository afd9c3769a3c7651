import { operatorRoute, type Route } from '../../../platform/http/route.ts';
import { Done } from '../../accounts/accounts.contract.ts';
import type { Pool } from '../../pools/index.ts';
import * as service from './impersonation.service.ts';
import { portalSignInRoutes } from './portal-sign-in.routes.ts';
import * as contract from '../operators.contract.ts';
import type { Parts } from '../operators.service.ts';

const tag = 'Operator';
const done = { status: 'done' as const };

/** Where the customers' pool is our own: nobody else can give out tokens of its people. */
export const impersonationRoutes = (parts: Parts & { portalUrl: string | undefined }, pool: Pool): Route[] => [
  ...portalSignInRoutes(parts, pool),
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
      await pool.provider(); // its keys are at hand before the transaction begins
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
      const by = { operator, requestInfo };
      const lent = await service.findImpersonation(parts, operator, params.sessionId);
      // Whoever ends what is over wants it ended, and it is; its tenant may be gone by now.
      if (lent.isOver) return done;
      return operator.inTenant(lent.tenantId, (ctx) => service.endImpersonation(ctx, parts, by, lent).then(() => done));
    },
  }),
];
