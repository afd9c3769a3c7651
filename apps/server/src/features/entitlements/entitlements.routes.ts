import { tenantRoute } from '../../platform/http/route.ts';
import { TenantEntitlements } from './entitlements.contract.ts';
import { readEntitlements } from './entitlements.service.ts';

export const entitlementRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/entitlements',
    name: 'getEntitlements',
    tag: 'Tenant',
    summary: 'Get your plan and entitlements',
    permission: 'tenant.view',
    bindings: [],
    response: TenantEntitlements,
    handler: (ctx) => readEntitlements(ctx),
  }),
];
