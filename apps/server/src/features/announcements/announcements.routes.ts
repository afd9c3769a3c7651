import { tenantRoute, type Route } from '../../platform/http/route.ts';
import type { TenantStates } from '../tenants/index.ts';
import { CurrentAnnouncements } from './announcements.contract.ts';
import { listCurrentAnnouncements, type AnnouncementDeps } from './announcements.service.ts';

export const announcementRoutes = (deps: AnnouncementDeps, tenants: TenantStates): Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/announcements',
    name: 'getAnnouncements',
    tag: 'Tenant',
    summary: 'List current announcements',
    permission: 'tenant.view',
    bindings: ['workspace', 'bot', 'environment'],
    response: CurrentAnnouncements,
    handler: async ({ tenantId }) => listCurrentAnnouncements(deps, (await tenants.of(tenantId)).plan),
  }),
];
