import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { newHealth } from '../endpoints/health.ts';
import type { Endpoint } from '../endpoints/webhooks.store.ts';
import type { Replay } from '../log/deliveries.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const findTenant = (tx: Tx) => tx.selectFrom('tenants').select('name').executeTakeFirst();

/** An endpoint with its queue. `waiting` is counted up to 1,000: a large backlog would take longer than the rest of a page. */
export type EndpointWithQueue = Pick<
  Endpoint,
  'id' | 'url' | 'status' | 'disabledReason' | 'health' | 'isListenedTo' | 'lastFailureAt'
> & { lastFailureStatus: number | null; waiting: number; oldestWaitingAt: Date | null };

/** These endpoints, or the newest ones, in one query. */
export async function endpointsWithQueue(
  tx: Tx,
  { ids, limit }: { ids?: readonly string[]; limit: number },
): Promise<EndpointWithQueue[]> {
  const { rows } = await sql<EndpointWithQueue>`
    select w.id, w.url, w.status, w.disabled_reason, h.health, h.last_failure_at, h.last_failure_status,
      coalesce((w.listener ->> 'until')::timestamptz > now(), false) as is_listened_to, queue.*
    from (select * from webhooks where ${ids ?? null}::text[] is null or id = any (${ids ?? null}) order by id desc limit ${limit}) as w
    left join webhook_health h on h.webhook_id = w.id
    cross join lateral (
      select count(*)::int as waiting, min(counted.created_at) as oldest_waiting_at
      from (select q.created_at from webhook_queue q where q.webhook_id = w.id order by q.next_attempt_at limit 1000) as counted
    ) as queue order by w.id desc`.execute(tx);
  return rows.map((row) => ({ ...row, health: { ...newHealth(), ...row.health } }));
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
