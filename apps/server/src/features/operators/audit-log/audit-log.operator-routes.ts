import { operatorRoute, type Route } from '../../../platform/http/route.ts';
import * as contract from './audit-log.contract.ts';
import * as service from './audit-log.service.ts';
import { PoolAuditEntries } from '../operators.contract.ts';
import type { OperatorDeps } from '../operators.service.ts';

const tag = 'Operator';
const permission = 'platform.audit.view';

export const auditLogRoutes = (deps: OperatorDeps): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/tenant-audit-log',
    name: 'listTenantAuditEntries',
    tag,
    summary: 'List audit log entries across tenants',
    description: 'Without the details of entries, which belong to the tenant.',
    permission,
    query: contract.ListTenantAuditEntries,
    response: contract.TenantAuditEntries,
    handler: (_operator, { query }) => service.listTenantEntries(deps, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/tenant-audit-log/export',
    name: 'exportTenantAuditLog',
    tag,
    summary: 'Export the audit log across tenants',
    description: 'Up to 1,000 entries per request. Starting an export is recorded in the operators’ audit log.',
    permission,
    query: contract.ExportTenantAudit,
    response: contract.TenantAuditEntries,
    handler: (operator, { query }, requestInfo) => service.exportTenantEntries(deps, { operator, requestInfo }, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/audit-log/export',
    name: 'exportPoolAuditLog',
    tag,
    summary: 'Export a pool’s audit log',
    description: 'Up to 1,000 entries per request. Starting an export is recorded in the operators’ audit log.',
    permission,
    query: contract.ExportPoolAudit,
    response: PoolAuditEntries,
    handler: (operator, { query }, requestInfo) => service.exportPoolEntries(deps, { operator, requestInfo }, query),
  }),
];
