import { tenantRoute } from '../../platform/http/route.ts';
import { WorkspaceId } from '../tenants/tenants.contract.ts';
import * as contract from './business-hours.contract.ts';
import * as service from './business-hours.service.ts';

const tag = 'Availability';

export const businessHoursRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/workspaces/:id/business-hours',
    name: 'getBusinessHours',
    tag,
    summary: 'Get the business hours of a workspace',
    permission: 'tenant.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: WorkspaceId,
    response: contract.OneBusinessHours,
    handler: (ctx, { params }) => service.getBusinessHours(ctx, params.id),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/workspaces/:id/business-hours',
    name: 'setBusinessHours',
    tag,
    summary: 'Set the business hours of a workspace',
    description:
      'Visitors see the expected reply time, and when your team is back. Outside of these hours, no one is notified about waiting visitors: the time they wait counts from the next opening. Widgets show a change within five minutes.',
    permission: 'tenant.manage',
    bindings: ['workspace'],
    params: WorkspaceId,
    body: contract.BusinessHours,
    response: contract.OneBusinessHours,
    handler: (ctx, { params, body }) => service.setBusinessHours(ctx, params.id, body),
  }),
];
