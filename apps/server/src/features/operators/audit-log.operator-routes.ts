import { operatorRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './audit-log.contract.ts';
import * as service from './audit-log.service.ts';
import { PoolAuditEntries } from './operators.contract.ts';
import type { Parts } from './operators.service.ts';

const tag = 'Operator';
const permission = 'platform.audit.view';

export const auditLogRoutes = (parts: Parts): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/tenant-audit-log',
    name: 'listTenantAuditEntries',
    tag,
    summary: 'Read who did what in which tenant, newest first',
    description: "Without what an entry holds, which is the tenant's own.",
    permission,
    query: contract.ListTenantAuditEntries,
    answer: contract.TenantAuditEntries,
    handler: (_desk, { query }) => service.listTenantEntries(parts, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/tenant-audit-log/export',
    name: 'exportTenantAuditLog',
    tag,
    summary: 'Take the log of tenants away, a thousand entries at a time',
    description: 'That it was begun stands in the log of the operators.',
    permission,
    query: contract.ExportTenantAudit,
    answer: contract.TenantAuditEntries,
    handler: (operator, { query }, from) => service.exportTenantEntries(parts, { operator, from }, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/audit-log/export',
    name: 'exportPoolAuditLog',
    tag,
    summary: 'Take the log of a pool away, a thousand entries at a time',
    description: 'That it was begun stands in the log of the operators.',
    permission,
    query: contract.ExportPoolAudit,
    answer: PoolAuditEntries,
    handler: (operator, { query }, from) => service.exportPoolEntries(parts, { operator, from }, query),
  }),
];
