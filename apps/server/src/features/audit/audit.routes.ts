import type { Context } from '../../platform/context.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import { Page } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { AuditEntry, ListAuditEntries } from './audit.contract.ts';
import * as store from './audit.store.ts';

async function listAuditEntries({ tx }: Context, { cursor, limit, ...filter }: ListAuditEntries) {
  const rows = await store.list(tx, { ...filter, before: readCursor(cursor), limit: limit + 1 });
  const entries = rows.map(
    ({ actorType, actorId, tenantId: _mine, ...row }) =>
      ({ ...row, actor: { type: actorType, id: actorId } }) as AuditEntry,
  );
  return toPage(entries, limit);
}

export const auditRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/audit-log',
    name: 'listAuditEntries',
    tag: 'Tenant',
    summary: 'Read who did what, newest first',
    permission: 'audit.view',
    query: ListAuditEntries,
    answer: Page(AuditEntry),
    handler: (ctx, { query }) => listAuditEntries(ctx, query),
  }),
];
