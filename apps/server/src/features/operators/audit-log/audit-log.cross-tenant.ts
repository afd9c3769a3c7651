import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { ListTenantAuditEntries, TenantAuditEntry } from './audit-log.contract.ts';

interface EntryQuery extends Omit<ListTenantAuditEntries, 'cursor' | 'limit'> {
  before: string | undefined;
  max: number;
  /** How many entries are scanned at most, however few of them match. */
  scanLimit: number;
}

/** Ids start with their timestamp, so a time range becomes an id range, and only its partitions are read. */
const firstId = (time: string) => sql<string>`directory.first_id('aud', ${time}::timestamptz)`;
const columns = [
  'tenantId',
  'id',
  'eventId',
  'action',
  'subjectId',
  'actorType',
  'actorId',
  'requestId',
  'createdAt',
] as const;

/** Newest first, in index order. Entries that the other filters exclude count towards the limit. */
function scan(tx: Tx, { tenantId, since, until, before, scanLimit }: EntryQuery) {
  let query = tx.selectFrom('auditEntries').orderBy('id', 'desc').limit(scanLimit);
  if (tenantId !== undefined) query = query.where('tenantId', '=', tenantId);
  if (since !== undefined) query = query.where('id', '>=', firstId(since));
  if (until !== undefined) query = query.where('id', '<', firstId(until));
  if (before !== undefined) query = query.where('id', '<', before);
  return query;
}

export const tenantEntries = (db: Db, query: EntryQuery) =>
  acrossTenants(db, async (tx) => {
    const { action, actorId, actorType, subjectId, max, scanLimit } = query;
    let matching = tx
      .selectFrom(scan(tx, query).select(columns).as('scanned'))
      .selectAll()
      .orderBy('id', 'desc')
      .limit(max);
    if (action !== undefined) matching = matching.where('action', '=', action);
    if (actorId !== undefined) matching = matching.where('actorId', '=', actorId);
    if (actorType !== undefined) matching = matching.where('actorType', '=', actorType);
    if (subjectId !== undefined) matching = matching.where('subjectId', '=', subjectId);
    const rows = await matching.execute();
    // The last scanned id, if there may be older entries.
    const stoppedAt =
      rows.length < max
        ? await scan(tx, query)
            .select('id')
            .offset(scanLimit - 1)
            .limit(1)
            .executeTakeFirst()
        : undefined;
    return { entries: await withNames(tx, rows), stoppedAt: stoppedAt?.id };
  });

type Row = Record<Exclude<(typeof columns)[number], 'requestId' | 'createdAt'>, string> & {
  requestId: string | null;
  createdAt: Date;
};

async function withNames(tx: Tx, rows: readonly Row[]): Promise<TenantAuditEntry[]> {
  const tenantIds = [...new Set(rows.map(({ tenantId }) => tenantId))];
  const userIds = [...new Set(rows.map(({ actorId }) => actorId))].filter((id) => id.startsWith('usr_'));
  if (rows.length === 0) return [];
  const tenants = await tx
    .selectFrom('tenants')
    .select(['tenantId', 'name'])
    .where('tenantId', 'in', tenantIds)
    .execute();
  const { rows: users } = await sql<{ userId: string; email: string }>`
    select user_id, email from directory.users where user_id = any (${userIds})`.execute(tx);
  const nameOf = new Map(tenants.map(({ tenantId, name }) => [tenantId, name]));
  const emailOf = new Map(users.map(({ userId, email }) => [userId, email]));
  return rows.map(
    ({ actorType: type, actorId: id, ...row }) =>
      ({
        ...row,
        tenantName: nameOf.get(row.tenantId) ?? null,
        actor: { type, id, email: emailOf.get(id) ?? null },
      }) as TenantAuditEntry,
  );
}
