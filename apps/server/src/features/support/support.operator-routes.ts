import { operatorRoute } from '../../platform/http/route.ts';
import * as contract from './support.contract.ts';
import * as service from './support.service.ts';

const tag = 'Operator';
const permission = 'platform.tenant.view';

export const supportRoutes = (traceUrl: string | undefined) => [
  operatorRoute({
    method: 'GET',
    path: '/admin/tenants/:id/health',
    name: 'getTenantHealth',
    tag,
    summary: 'Get the health of a tenant’s bots, endpoints, keys and budgets',
    permission,
    params: contract.TenantId,
    response: contract.TenantHealth,
    handler: (operator, { params }) => operator.inTenant(params.id, service.getHealth),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/tenants/:id/errors',
    name: 'listTenantErrors',
    tag,
    summary: 'List a tenant’s recent errors',
    description:
      'Rejected and failed requests of the last week, with identical ones grouped by hour; failed turns, deliveries, runs and syncs. Never contains message text, and URLs are reduced to their host.',
    permission,
    params: contract.TenantId,
    query: contract.ListErrors,
    response: contract.TenantErrors,
    handler: (operator, { params, query }) =>
      operator.inTenant(params.id, (ctx) => service.listErrors(ctx, query, traceUrl)),
  }),
];
