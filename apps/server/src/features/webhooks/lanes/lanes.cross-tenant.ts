import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { slotCount } from '../../../platform/lane-hints.ts';
import type { Head } from './endpoint-state.ts';

// Only ids and times are read across tenants.

const isIn = (lanes: readonly number[], laneCount: number) =>
  sql`webhook_slot(webhook_id) * ${laneCount}::int / ${slotCount}::int = any (${[...lanes]}::int[])`;

/** Statistics of a queue that was empty would have the planner read all rows. */
const useIndexes = (tx: Tx) =>
  sql`set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off; set local jit = off`.execute(
    tx,
  );

/** Endpoints of these lanes with something that became due in the last minute. What waits for longer is not read. */
export const newHeads = (db: Db, lanes: readonly number[], laneCount: number): Promise<Head[]> =>
  acrossTenants(db, async (tx) => {
    await useIndexes(tx);
    const { rows } = await sql<Head>`
      select tenant_id, webhook_id, min(next_attempt_at) as next_attempt_at from webhook_queue
      where next_attempt_at > now() - interval '1 minute' and next_attempt_at <= now() and ${isIn(lanes, laneCount)}
      group by 1, 2`.execute(tx);
    return rows;
  });

/** All endpoints of these lanes that have deliveries. Jumps in the index from one to the next, however many each has. */
export const allHeads = (db: Db, lanes: readonly number[], laneCount: number): Promise<Head[]> =>
  acrossTenants(db, async (tx) => {
    await useIndexes(tx);
    const { rows } = await sql<Head>`
      with recursive heads as (
        (select tenant_id, webhook_id, next_attempt_at from webhook_queue order by webhook_id, next_attempt_at limit 1)
        union all
        select next.* from heads cross join lateral (
          select tenant_id, webhook_id, next_attempt_at from webhook_queue q where q.webhook_id > heads.webhook_id
          order by q.webhook_id, q.next_attempt_at limit 1) as next
      )
      select * from heads where ${isIn(lanes, laneCount)}`.execute(tx);
    return rows;
  });
