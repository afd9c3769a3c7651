import { sql } from 'kysely';
import { transact, transactReadOnly, type Db } from './db.ts';
import type { Valkey } from './valkey.ts';

// Health metrics of PostgreSQL and Valkey. Both have short timeouts, so that frequent polling does not add load to a slow
// server.

export interface DatabaseHealthMetrics {
  ms: number;
  connections: number;
  maxConnections: number;
  /** Only of the server's database role; others are not visible to it. */
  oldestTransactionSeconds: number;
  bytes: number;
  /** null: no replica, or none that is visible to our role. */
  replicaLagSeconds: number | null;
  partitionDaysAhead: number;
}

export async function databaseHealthMetrics(db: Db, timeoutMs = 1_200): Promise<DatabaseHealthMetrics> {
  const startedAt = performance.now();
  const replicas = replicaLags(db, timeoutMs).catch(() => ({}));
  return transact(db, `begin read only; set local statement_timeout = ${timeoutMs}`, async (tx) => {
    await sql`select 1`.execute(tx);
    const ms = Math.round(performance.now() - startedAt);
    const { rows } = await sql<Omit<DatabaseHealthMetrics, 'ms' | 'replicaLagSeconds'>>`
      select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('max_connections')::int as max_connections,
        (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()) as oldest_transaction_seconds,
        pg_database_size(current_database())::float8 as bytes,
        directory.partition_days_ahead() as partition_days_ahead`.execute(tx);
    const [row] = rows;
    if (!row) throw new Error('PostgreSQL returned no health metrics');
    const lags = Object.values<number>(await replicas);
    return { ms, ...row, replicaLagSeconds: lags.length > 0 ? Math.max(...lags) : null };
  });
}

/**
 * How far each streaming replica is behind, in seconds, by its `application_name`. Only a member of `pg_monitor` sees that, and
 * our role inherits nothing, so it becomes that role for the statement. A replica that has replayed everything has no lag.
 */
export const replicaLags = (db: Db, timeoutMs = 2_000): Promise<Record<string, number>> =>
  transactReadOnly(db, `begin read only; set local statement_timeout = ${timeoutMs}`, async (tx) => {
    const [, { rows }] = await Promise.all([
      sql`select set_config('role', 'pg_monitor', true) where pg_has_role('pg_monitor', 'member')`.execute(tx),
      sql<{ replica: string; seconds: number }>`
        select coalesce(nullif(application_name, ''), host(client_addr), 'local') as replica,
          max(coalesce(extract(epoch from replay_lag), 0))::float8 as seconds
        from pg_stat_replication where state is not null group by 1 limit 20`.execute(tx),
    ]);
    return Object.fromEntries(rows.map(({ replica, seconds }) => [replica, seconds]));
  });

/** How far the clock of this machine is ahead, in seconds. Half of the round trip is taken as the time of the reading. */
export async function clockOffset(db: Db): Promise<number | undefined> {
  const startedAt = Date.now();
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  const ms = rows[0]?.ms;
  return ms === undefined ? undefined : ((startedAt + Date.now()) / 2 - ms) / 1_000;
}

export interface ValkeyHealthMetrics {
  ms: number;
  bytes: number;
  /** null: no limit. */
  maxBytes: number | null;
  evicted: number;
}

export async function valkeyHealthMetrics(valkey: Valkey): Promise<ValkeyHealthMetrics> {
  const startedAt = performance.now();
  await valkey.ping();
  const ms = Math.round(performance.now() - startedAt);
  const info = `${await valkey.info('memory')}\n${await valkey.info('stats')}`;
  const values = new Map(info.split('\n').map((line) => line.trim().split(':', 2) as [string, string | undefined]));
  const numberOf = (name: string) => Number.parseInt(values.get(name) ?? '', 10) || 0;
  return {
    ms,
    bytes: numberOf('used_memory'),
    maxBytes: numberOf('maxmemory') || null,
    evicted: numberOf('evicted_keys'),
  };
}
