import type { Config } from '../../platform/config.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { Plans, TenantEntitlements } from './entitlements.contract.ts';
import { readEntitlements } from './entitlements.service.ts';
import { plans } from './plans.ts';

export const entitlementRoutes = ({ UPGRADE_URL }: Pick<Config, 'UPGRADE_URL'>) => [
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
  tenantRoute({
    method: 'GET',
    path: '/plans',
    name: 'listPlans',
    tag: 'Tenant',
    summary: 'Compare the plans',
    description: 'What each plan includes, which one you have, and where to ask for another one.',
    permission: 'tenant.view',
    bindings: [],
    response: Plans,
    handler: async (ctx) => ({ plan: (await readEntitlements(ctx)).plan, plans, upgradeUrl: UPGRADE_URL ?? null }),
  }),
];
