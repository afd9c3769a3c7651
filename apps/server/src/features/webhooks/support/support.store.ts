import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Replay } from '../log/deliveries.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const findTenant = (tx: Tx) => tx.selectFrom('tenants').select('name').executeTakeFirst();

/** Counted up to 1,000: an exact count of a large backlog would be slower than the rest of the page. */
export async function queueStats(
  tx: Tx,
  webhookId: string,
): Promise<{ waiting: number; oldestWaitingAt: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldestWaitingAt: Date | null }>`
    select count(*)::int as waiting, min(created_at) as oldest_waiting_at
    from (select created_at from webhook_queue where webhook_id = ${webhookId} order by next_attempt_at limit 1000) as counted`.execute(
    tx,
  );
  return rows[0] ?? { waiting: 0, oldestWaitingAt: null };
}

export type ReplayWithTotal = Replay & { total: number };

const total = sql<number>`(select count(*)::int from (
  select from webhook_deliveries d where d.webhook_id = webhook_replays.webhook_id
    and d.id > directory.first_id('dlv', webhook_replays.since) and d.id < directory.first_id('dlv', webhook_replays.until)
    and d.status = any (webhook_replays.statuses) limit 100000) as counted)`.as('total');

const replays = (tx: Tx, webhookId: string) =>
  tx
    .selectFrom('webhookReplays')
    .select(['id', 'webhookId', 'since', 'until', 'statuses as status', 'state', 'queued', 'createdAt', 'finishedAt'])
    .select(total)
    .where('webhookId', '=', webhookId)
    .$narrowType<ReplayWithTotal>();

export const lastReplays = (tx: Tx, webhookId: string): Promise<ReplayWithTotal[]> =>
  replays(tx, webhookId).orderBy('id', 'desc').limit(5).execute();

export const findReplay = (tx: Tx, webhookId: string, id: string): Promise<ReplayWithTotal | undefined> =>
  replays(tx, webhookId).where('id', '=', id).executeTakeFirst();
