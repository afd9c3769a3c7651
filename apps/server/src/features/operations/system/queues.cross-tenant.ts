import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { StreamQueue, SweepRow, TimerQueue } from './queues.ts';

/** Nobody counts further: that it is much is what matters. */
export const countedAtMost = 1_000;
const timeoutMs = 1_200;

/** All of what waits, read in one transaction that ends by itself if the database is slow. */
export const readQueues = (db: Db) =>
  acrossTenants(db, async (tx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx);
    return { timers: await timerQueues(tx), streams: await streamQueue(tx), sweeps: await sweeps(tx) };
  });

/** The oldest first, by the index of what is due: a flood of one kind is counted so far, and says that there is more. */
async function timerQueues(tx: Tx) {
  const { rows: queues } = await sql<TimerQueue>`
    select kind, count(*)::int as waiting, extract(epoch from clock_timestamp() - min(due_at))::float8 as oldest_seconds
    from (select kind, due_at from directory.timers where due_at < now() order by due_at limit ${countedAtMost}) as due
    group by kind`.execute(tx);
  return { queues: queues, isMore: queues.reduce((sum, { waiting }) => sum + waiting, 0) >= countedAtMost };
}

async function streamQueue(tx: Tx): Promise<StreamQueue> {
  const { rows } = await sql<Omit<StreamQueue, 'isMore'>>`
    select count(*)::int as waiting, extract(epoch from clock_timestamp() - min(oldest_at))::float8 as oldest_seconds,
      coalesce(max(failures), 0)::int as failures
    from (select oldest_at, failures from directory.event_streams where delivered_position < last_position
      order by leased_until limit ${countedAtMost}) as waiting`.execute(tx);
  const row = rows[0] ?? { waiting: 0, oldestSeconds: null, failures: 0 };
  return { ...row, isMore: row.waiting >= countedAtMost };
}

async function sweeps(tx: Tx): Promise<SweepRow[]> {
  const { rows } = await sql<SweepRow>`
    select kind, coalesce(sum(found) filter (where hour > now() - interval '1 hour'), 0)::int as last_hour,
      sum(found)::int as last_day, max(last_at) as last_at
    from directory.sweeps where hour > now() - interval '24 hours' group by kind order by kind`.execute(tx);
  return rows;
}
