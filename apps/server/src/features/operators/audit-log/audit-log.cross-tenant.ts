import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { ListTenantAuditEntries, TenantAuditEntry } from './audit-log.contract.ts';

interface Wanted extends Omit<ListTenantAuditEntries, 'cursor' | 'limit'> {
  before: string | undefined;
  max: number;
  /** So many entries are looked through, however few of them fit. */
  within: number;
}

/** Ids begin with their time, so a time becomes an id, and only the partitions of that time are read. */
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

/** Newest first, in the order that an index has: what the filters leave out is counted as well. */
function lookThrough(tx: Tx, { tenantId, since, until, before, within }: Wanted) {
  let query = tx.selectFrom('auditEntries').orderBy('id', 'desc').limit(within);
  if (tenantId !== undefined) query = query.where('tenantId', '=', tenantId);
  if (since !== undefined) query = query.where('id', '>=', firstId(since));
  if (until !== undefined) query = query.where('id', '<', firstId(until));
  if (before !== undefined) query = query.where('id', '<', before);
  return query;
}

export const tenantEntries = (db: Db, wanted: Wanted) =>
  acrossTenants(db, async (tx) => {
    const { action, actorId, actorType, subjectId, max: most, within } = wanted;
    let query = tx
      .selectFrom(lookThrough(tx, wanted).select(columns).as('seen'))
      .selectAll()
      .orderBy('id', 'desc')
      .limit(most);
    if (action !== undefined) query = query.where('action', '=', action);
    if (actorId !== undefined) query = query.where('actorId', '=', actorId);
    if (actorType !== undefined) query = query.where('actorType', '=', actorType);
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    const rows = await query.execute();
    // Where the looking ended, if it was not at the end of everything.
    const stoppedAt =
      rows.length < most
        ? await lookThrough(tx, wanted)
            .select('id')
            .offset(within - 1)
            .limit(1)
            .executeTakeFirst()
        : undefined;
    return { entries: await named(tx, rows), stoppedAt: stoppedAt?.id };
  });

type Row = Record<Exclude<(typeof columns)[number], 'requestId' | 'createdAt'>, string> & {
  requestId: string | null;
  createdAt: Date;
};

async function named(tx: Tx, rows: readonly Row[]): Promise<TenantAuditEntry[]> {
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
