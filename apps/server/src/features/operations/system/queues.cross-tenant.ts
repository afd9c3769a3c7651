import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { StreamQueue, SweepRow, TimerQueue } from './queues.ts';

/** Counting stops here; the exact size of a long queue does not matter. */
export const maxCounted = 1_000;
const timeoutMs = 1_200;

/** Reads all queues in one transaction, with a timeout in case the database is slow. */
export const readQueues = (db: Db) =>
  acrossTenants(db, async (tx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx);
    return { timers: await timerQueues(tx), streams: await streamQueue(tx), sweeps: await sweeps(tx) };
  });

/** Counts due timers, oldest first, by index. With too many timers of one kind, counting stops and `isMore` is true. */
async function timerQueues(tx: Tx) {
  const { rows: queues } = await sql<TimerQueue>`
    select kind, count(*)::int as waiting, extract(epoch from clock_timestamp() - min(due_at))::float8 as oldest_seconds
    from (select kind, due_at from directory.timers where due_at < now() order by due_at limit ${maxCounted}) as due
    group by kind
    union all
    -- Delivery lanes without a worker, since the last one has ended.
    select 'webhook', count(*)::int, coalesce(extract(epoch from clock_timestamp() - (
      select max(live_until) from directory.webhook_workers where live_until < clock_timestamp()))::float8, 0)
    from directory.webhook_lanes l where not exists (
      select from directory.webhook_workers w where w.id = l.owner and w.live_until > clock_timestamp())
    having count(*) > 0`.execute(tx);
  return { queues, isMore: queues.reduce((sum, { waiting }) => sum + waiting, 0) >= maxCounted };
}

async function streamQueue(tx: Tx): Promise<StreamQueue> {
  const { rows } = await sql<Omit<StreamQueue, 'isMore'>>`
    select count(*)::int as waiting, extract(epoch from clock_timestamp() - min(oldest_at))::float8 as oldest_seconds,
      coalesce(max(failures), 0)::int as failures
    from (select oldest_at, failures from directory.waiting_streams order by leased_until limit ${maxCounted}) as waiting`.execute(
    tx,
  );
  const row = rows[0] ?? { waiting: 0, oldestSeconds: null, failures: 0 };
  return { ...row, isMore: row.waiting >= maxCounted };
}

async function sweeps(tx: Tx): Promise<SweepRow[]> {
  const { rows } = await sql<SweepRow>`
    select kind, coalesce(sum(found) filter (where hour > now() - interval '1 hour'), 0)::int as last_hour,
      sum(found)::int as last_day, max(last_at) as last_at
    from directory.sweeps where hour > now() - interval '24 hours' group by kind order by kind`.execute(tx);
  return rows;
}
