import { sql } from 'kysely';
import type { Db } from '../../../apps/server/src/platform/db.ts';
import { firstId, timeOfId } from '../../../apps/server/src/platform/ids.ts';

// The database's clock cannot be moved. Its own timestamps are replaced by the time in the row's id, which was moved.

/** Adds partitions for the past weeks: a new deployment has none for the past. */
export async function addPastPartitions(admin: Db, since: number): Promise<void> {
  await sql`select directory.add_partition(parent, period)
    from directory.partitioned_tables parent,
      generate_series(date_trunc(case parent.every when interval '1 day' then 'day' else 'month' end, ${new Date(since)}::timestamptz),
        now(), parent.every) period`.execute(admin);
}

export async function dateByIds(admin: Db, tenantId: string, realStart: number): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('tenant_id', 'id', 'created_at')) = 3`.execute(
    admin,
  );
  for (const { name } of tables) {
    const table = sql.table(name);
    const { rows } = await sql<{ id: string }>`
      select id from ${table} where tenant_id = ${tenantId} and created_at >= ${new Date(realStart)}`.execute(admin);
    const ids = rows.map(({ id }) => id).filter((id) => /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/.test(id));
    if (ids.length === 0) continue;
    await sql`update ${table} t set created_at = made.at
      from unnest(${ids}::text[], ${ids.map((id) => new Date(timeOfId(id)).toISOString())}::timestamptz[]) as made (id, at)
      where t.tenant_id = ${tenantId} and t.id = made.id`.execute(admin);
  }
  await sql`update webhook_deliveries set finished_at = (log->-1->>'at')::timestamptz where tenant_id = ${tenantId}`.execute(
    admin,
  );
  const { rows: members } = await sql<{ userId: string }>`
    select user_id as "userId" from memberships where tenant_id = ${tenantId} and user_id > ${firstId('user', realStart - 22 * 86_400_000)}`.execute(
    admin,
  );
  for (const { userId } of members) {
    const at = new Date(timeOfId(userId));
    await sql`update memberships set created_at = ${at} where tenant_id = ${tenantId} and user_id = ${userId}`.execute(
      admin,
    );
    await sql`update directory.users set created_at = ${at} where user_id = ${userId}`.execute(admin);
  }
  await sql`update tenants set created_at = ${new Date(timeOfId(tenantId))} where tenant_id = ${tenantId}`.execute(
    admin,
  );
  await sql`update visitors set last_seen_at = created_at where tenant_id = ${tenantId}`.execute(admin);
  await sql`update contacts set updated_at = created_at where tenant_id = ${tenantId}`.execute(admin);
}
