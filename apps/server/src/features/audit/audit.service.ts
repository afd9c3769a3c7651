import type { Context } from '../../platform/context.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import type { AuditEntry, ListAuditEntries } from './audit.contract.ts';
import * as store from './audit.store.ts';

export async function listAuditEntries(
  { tx }: Context,
  { cursor, limit, ...filter }: ListAuditEntries & { actions?: readonly string[] },
) {
  const rows = await store.list(tx, { ...filter, before: readCursor(cursor), limit: limit + 1 });
  const entries = rows.map(
    ({ actorType, actorId, ...row }) => ({ ...row, actor: { type: actorType, id: actorId } }) as AuditEntry,
  );
  return toPage(entries, limit);
}
