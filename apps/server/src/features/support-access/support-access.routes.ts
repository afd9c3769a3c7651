import { operatorRoute, tenantRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './support-access.contract.ts';
import * as service from './support-access.service.ts';

const tag = 'Members';
const manage = 'support_access.manage';

export const supportAccessRoutes: Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/support-access',
    name: 'getSupportAccess',
    tag,
    summary: 'Get your support access settings and requests',
    permission: 'member.view',
    bindings: [],
    response: contract.SupportAccess,
    handler: (ctx) => service.readSupportAccess(ctx),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/support-access',
    name: 'changeSupportAccess',
    tag,
    summary: 'Update your support access policy',
    permission: manage,
    bindings: [],
    stepUp: true,
    body: contract.ChangeSupportAccess,
    response: contract.SupportAccess,
    handler: (ctx, { body }) => service.changePolicy(ctx, body.policy),
  }),
  tenantRoute({
    method: 'POST',
    path: '/support-access/requests/:id/approve',
    name: 'approveSupportRequest',
    tag,
    summary: 'Approve a support access request',
    permission: manage,
    bindings: [],
    stepUp: true,
    params: contract.SupportRequestId,
    body: contract.ApproveSupport,
    response: contract.OneSupportRequest,
    handler: (ctx, { params, body }) => service.approve(ctx, params.id, body.hours),
  }),
  tenantRoute({
    method: 'POST',
    path: '/support-access/requests/:id/decline',
    name: 'declineSupportRequest',
    tag,
    summary: 'Decline or withdraw support access',
    permission: manage,
    bindings: [],
    params: contract.SupportRequestId,
    response: contract.OneSupportRequest,
    handler: (ctx, { params }) => service.decline(ctx, params.id),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/tenants/:id/support-access',
    name: 'getTenantSupportAccess',
    tag: 'Operator',
    summary: 'Get a tenant’s support access settings and requests',
    permission: 'platform.tenant.view',
    params: contract.TenantId,
    response: contract.SupportAccess,
    handler: (operator, { params }) => operator.inTenant(params.id, (ctx) => service.readSupportAccess(ctx)),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/tenants/:id/support-requests',
    name: 'requestSupportAccess',
    tag: 'Operator',
    summary: 'Request support access to a tenant',
    description: 'The owners get an email and approve or decline in the portal. A pending request is not sent twice.',
    permission: 'platform.impersonate.request',
    limit: { name: 'support-requests', points: 30, seconds: 3_600 },
    params: contract.TenantId,
    body: contract.RequestSupportAccess,
    status: 201,
    response: contract.OneSupportRequest,
    handler: (operator, { params, body }) =>
      operator.inTenant(params.id, (ctx) =>
        service.requestAccess(ctx, operator.profile?.name ?? 'An operator', body.reason),
      ),
  }),
];
