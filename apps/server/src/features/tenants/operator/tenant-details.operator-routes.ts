import type { Db } from '../../../platform/db.ts';
import { operatorRoute, type OperatorContext } from '../../../platform/http/route.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { ListQuery } from '../../../platform/lists.contract.ts';
import type { Context } from '../../../platform/context.ts';
import { ListAuditEntries } from '../../audit/audit.contract.ts';
import { EntitlementsInFull } from '../../entitlements/entitlements.contract.ts';
import { ListMembers } from '../../members/members.contract.ts';
import { Usage } from '../../usage/usage.contract.ts';
import * as contract from './tenants.operator.contract.ts';
import * as details from './tenant-details.operator.service.ts';
import { TenantId } from '../tenants.contract.ts';

const tag = 'Operator';
const view = { method: 'GET', tag, params: TenantId, permission: 'platform.tenant.view' } as const;

/** One tenant as operators see it, without message content. */
export const tenantDetailRoutes = (db: Db) => {
  const inTenant =
    (operator: OperatorContext, { id }: { id: Id<'tenant'> }) =>
    <T>(work: (ctx: Context) => Promise<T>) =>
      operator.inTenant(id, work);

  return [
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id',
      name: 'inspectTenant',
      summary: 'Get a tenant',
      response: contract.InspectedTenant,
      handler: (operator, { params }) => details.inspect(db, inTenant(operator, params)),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/entitlements',
      name: 'inspectEntitlements',
      summary: 'Get a tenant’s plan and entitlements',
      response: EntitlementsInFull,
      handler: (operator, { params }) => details.entitlements(db, inTenant(operator, params)),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/changes',
      name: 'listTenantChanges',
      summary: 'List changes of a tenant’s plan, limits and status',
      query: ListQuery,
      response: contract.TenantChanges,
      handler: (operator, { params, query }) => details.history(db, inTenant(operator, params), query),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/usage',
      name: 'inspectUsage',
      summary: 'Get a tenant’s usage',
      query: contract.UsageDays,
      response: Usage,
      handler: (operator, { params, query }) => details.usage(inTenant(operator, params), query.days),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/members',
      name: 'inspectMembers',
      summary: 'List a tenant’s members',
      query: ListMembers,
      response: contract.TenantMembers,
      handler: (operator, { params, query }) => details.members(db, inTenant(operator, params), query),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/audit-log',
      name: 'inspectAuditLog',
      summary: 'List a tenant’s audit log entries',
      description: 'Newest first, without their details.',
      permission: 'platform.audit.view',
      query: ListAuditEntries,
      response: contract.TenantAuditEntries,
      handler: (operator, { params, query }) => details.auditLog(db, inTenant(operator, params), query),
    }),
    operatorRoute({
      ...view,
      path: '/admin/tenants/:id/suspension-effects',
      name: 'previewSuspension',
      summary: 'Preview the impact of suspending a tenant',
      response: contract.SuspensionEffects,
      handler: (operator, { params }) => details.suspensionEffects(inTenant(operator, params)),
    }),
  ];
};
