import { tenantRoute } from '../../platform/http/route.ts';
import { Usage, UsageQuery } from './usage.contract.ts';
import { readUsage } from './usage-reading.service.ts';

export const usageRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/usage',
    name: 'getUsage',
    tag: 'Usage',
    summary: 'Get usage by bot and day',
    permission: 'analytics.view',
    bindings: [],
    query: UsageQuery,
    response: Usage,
    handler: (ctx, { query }) => readUsage(ctx, query),
  }),
];
