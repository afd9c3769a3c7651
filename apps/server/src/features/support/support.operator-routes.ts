import { operatorRoute } from '../../platform/http/route.ts';
import * as contract from './support.contract.ts';
import * as service from './support.service.ts';

const tag = 'Operator';
const permission = 'platform.tenant.view';

/** How a tenant does, and what went wrong of late. */
export const supportRoutes = (traceUrl: string | undefined) => [
  operatorRoute({
    method: 'GET',
    path: '/admin/tenants/:id/health',
    name: 'getTenantHealth',
    tag,
    summary: 'Read how the bots, endpoints, keys and budgets of a tenant do',
    permission,
    params: contract.TenantId,
    answer: contract.TenantHealth,
    handler: (desk, { params }) => desk.inTenant(params.id, service.getHealth),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/tenants/:id/errors',
    name: 'listTenantErrors',
    tag,
    summary: 'List what went wrong of a tenant, newest first',
    description:
      'Refused and failed requests of a week, those of an hour alike as one; turns, deliveries, runs and syncs that failed. No word of any message, and no address beyond its name.',
    permission,
    params: contract.TenantId,
    query: contract.ListErrors,
    answer: contract.TenantErrors,
    handler: (desk, { params, query }) => desk.inTenant(params.id, (ctx) => service.listErrors(ctx, query, traceUrl)),
  }),
];
