import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import { operatorRoute, type OperatorContext } from '../../../platform/http/route.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { ChangeEntitlements, TenantEntitlements } from '../../entitlements/entitlements.contract.ts';
import { changeEntitlements } from '../../entitlements/index.ts';
import { InviteOwner, OneInvitation } from '../../members/members.contract.ts';
import { ListTenants, TenantHits } from './tenants.operator.contract.ts';
import type { TenantStates } from '../tenant-state.ts';
import { CreateTenant, NewTenant, OneTenant, Reason, TenantId } from '../tenants.contract.ts';
import { inviteOwnerOf, listTenants, onboard } from './tenants.operator.service.ts';
import * as service from '../tenants.service.ts';

const tag = 'Operator';
const emailLimit = { name: 'owner-invitation-emails', points: 60, seconds: 60 };

export const operatorTenantRoutes = (db: Db, states: TenantStates) => {
  /** Changes a tenant, and invalidates its cached state on all nodes after the commit. */
  const change = <T>(operator: OperatorContext, id: Id<'tenant'>, work: (ctx: Context) => Promise<T>) =>
    operator.inTenant(id, (ctx) => {
      ctx.afterCommit(() => states.drop(id));
      return service.getTenant(ctx).then(() => work(ctx));
    });

  return [
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants',
      name: 'createTenant',
      tag,
      summary: 'Create a tenant',
      permission: 'platform.tenant.manage',
      body: CreateTenant,
      status: 201,
      response: NewTenant,
      handler: async (operator, { body }) => {
        const tenantId = await service.reserveTenantId(db, operator.actor.id, operator.idempotencyKey);
        return operator.inTenant(tenantId, (ctx) => onboard(ctx, body));
      },
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants',
      name: 'listTenants',
      tag,
      summary: 'List or search tenants',
      permission: 'platform.tenant.view',
      query: ListTenants,
      response: TenantHits,
      handler: (_operator, { query }) => listTenants(db, query),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/owner-invitation',
      name: 'inviteOwner',
      tag,
      summary: 'Invite the owner of a tenant without one, or resend the invitation',
      description:
        'The link expires in seven days. Any earlier invitation stops working, even one to another email address.',
      permission: 'platform.tenant.manage',
      stepUp: true,
      limit: emailLimit,
      params: TenantId,
      body: InviteOwner,
      status: 201,
      response: OneInvitation,
      handler: (operator, { params, body }) => operator.inTenant(params.id, (ctx) => inviteOwnerOf(ctx, body)),
    }),
    operatorRoute({
      method: 'PATCH',
      path: '/admin/tenants/:id/entitlements',
      name: 'changeEntitlements',
      tag,
      summary: 'Update a tenant’s plan, features and limits',
      description: 'Takes effect everywhere within five seconds.',
      permission: 'platform.tenant.manage',
      params: TenantId,
      body: ChangeEntitlements,
      response: TenantEntitlements,
      handler: (operator, { params, body }) => change(operator, params.id, (ctx) => changeEntitlements(ctx, body)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/suspend',
      name: 'suspendTenant',
      tag,
      summary: 'Suspend a tenant',
      permission: 'platform.tenant.manage',
      params: TenantId,
      body: Reason,
      response: OneTenant,
      handler: (operator, { params, body }) =>
        change(operator, params.id, (ctx) => service.suspendTenant(ctx, body.reason)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/resume',
      name: 'resumeTenant',
      tag,
      summary: 'Resume a suspended tenant',
      permission: 'platform.tenant.manage',
      params: TenantId,
      response: OneTenant,
      handler: (operator, { params }) => change(operator, params.id, service.resumeTenant),
    }),
  ];
};
