import type { Context } from '../../../platform/context.ts';
import { operatorRoute, tenantRoute } from '../../../platform/http/route.ts';
import type { TenantStates } from '../tenant-state.ts';
import * as service from './tenant-deletion.service.ts';
import { DeletedTenant, DeleteTenant, OneTenant, Reason, TenantId } from '../tenants.contract.ts';

const description =
  'Its tokens and keys stop working within five seconds. It can be restored for 30 days; after that, all its data is permanently erased.';

export const tenantDeletionRoutes = (states: TenantStates) => {
  /** Invalidates the cached tenant state on all nodes after the commit. */
  const withInvalidation = (ctx: Context): Context => {
    ctx.afterCommit(() => states.drop(ctx.tenantId));
    return ctx;
  };

  return [
    tenantRoute({
      method: 'DELETE',
      path: '/tenant',
      longPath: '/',
      name: 'deleteTenant',
      tag: 'Tenant',
      summary: 'Delete your tenant',
      description,
      permission: 'tenant.delete',
      bindings: [],
      stepUp: true,
      body: DeleteTenant,
      response: DeletedTenant,
      handler: (ctx, { body }) => service.deleteOwnTenant(withInvalidation(ctx), body.name),
    }),
    operatorRoute({
      method: 'DELETE',
      path: '/admin/tenants/:id',
      name: 'deleteTenantAsOperator',
      tag: 'Operator',
      summary: 'Delete a tenant',
      description,
      permission: 'platform.tenant.manage',
      stepUp: true,
      params: TenantId,
      body: Reason,
      response: DeletedTenant,
      handler: (operator, { params, body }) =>
        operator.inTenant(params.id, (ctx) => service.deleteTenant(withInvalidation(ctx), body.reason)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/restore',
      name: 'restoreTenant',
      tag: 'Operator',
      summary: 'Restore a deleted tenant',
      permission: 'platform.tenant.manage',
      params: TenantId,
      body: Reason,
      response: OneTenant,
      handler: (operator, { params, body }) =>
        operator.inTenant(params.id, (ctx) => service.restoreTenant(withInvalidation(ctx), body.reason)),
    }),
  ];
};
