import { tenantRoute } from '../../platform/http/route.ts';
import { Page } from '../../platform/lists.contract.ts';
import { AuditEntry, ListAuditEntries } from './audit.contract.ts';
import { listAuditEntries } from './audit.service.ts';

export const auditRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/audit-log',
    name: 'listAuditEntries',
    tag: 'Tenant',
    summary: 'List audit log entries',
    permission: 'audit.view',
    bindings: [],
    query: ListAuditEntries,
    response: Page(AuditEntry),
    handler: (ctx, { query }) => listAuditEntries(ctx, query),
  }),
];
