import { operatorRoute, type Route } from '../../platform/http/route.ts';
import { Done } from '../accounts/accounts.contract.ts';
import type { Pool } from '../pools/index.ts';
import * as service from './impersonation.service.ts';
import { handoverRoutes } from './handover.routes.ts';
import * as contract from './operators.contract.ts';
import type { Parts } from './operators.service.ts';

const tag = 'Operator';
const done = { status: 'done' as const };

/** Where the customers' pool is our own: nobody else can give out tokens of its people. */
export const impersonationRoutes = (parts: Parts & { portalUrl: string | undefined }, pool: Pool): Route[] => [
  ...handoverRoutes(parts, pool),
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
    answer: contract.Impersonation,
    handler: async (desk, { params, body }, from) => {
      await pool.provider(); // its keys are at hand before the transaction begins
      return desk.inTenant(params.id, (ctx) => service.impersonate(ctx, pool, { operator: desk, from }, body));
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
    answer: Done,
    handler: async (desk, { params }, from) => {
      const by = { operator: desk, from };
      const lent = await service.findImpersonation(parts, desk, params.sessionId);
      // Whoever ends what is over wants it ended, and it is; its tenant may be gone by now.
      if (lent.isOver) return done;
      return desk.inTenant(lent.tenantId, (ctx) => service.endImpersonation(ctx, parts, by, lent).then(() => done));
    },
  }),
];
