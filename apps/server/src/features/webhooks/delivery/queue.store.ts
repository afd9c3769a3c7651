import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { restoreEpochSince } from '../../../platform/restores.ts';
import type { Attempt } from './send.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export interface ClaimedDelivery {
  id: string;
  eventId: string;
  eventType: string;
  /** Failures that count towards the retry schedule. */
  retryCount: number;
  /** Number of this attempt. Results are ignored if the row has a newer one. */
  attempts: number;
  /** Set if the database was restored since: this may have been delivered before. */
  restoreEpoch: number | null;
}

/** Longer than any attempt takes. After that the delivery is claimed again, and the log has an attempt with an unknown outcome. */
const leaseSeconds = 30;

/** Newer deliveries go first, but leave a share to the backlog, so that it drains while new events arrive. */
const freshSeconds = 5;

const unknownAttempt = sql`jsonb_build_object('id', null, 'number', attempts, 'at', leased_until - make_interval(secs => ${leaseSeconds}),
  'outcome', 'unknown', 'status', null, 'error', 'unknown', 'hint', null, 'timings', null, 'ip', null, 'response', null)`;

/** Not in flight: no attempt has started, or its worker is gone, or has had enough time. */
const isFreeFor = (worker: string) => sql`(leased_until is null or leased_until < now()
  or (claimed_by <> ${worker} and not directory.webhook_worker_is_live(claimed_by)))`;
/** Only the oldest of each conversation: none while an earlier one is in flight or waiting for a retry. */
const isFirst = sql`(conversation_id is null or (
  select earlier.position from webhook_queue earlier where earlier.webhook_id = q.webhook_id
    and earlier.conversation_id = q.conversation_id and earlier.position < q.position
  order by earlier.webhook_id, earlier.conversation_id, earlier.position limit 1) is null)`;

/** Of a row of `webhook_queue q`. */
export const claimedColumns = sql`id, event_id, event_type, retry_count, attempts, ${restoreEpochSince('q.created_at')} as restore_epoch`;

export interface Claim {
  tenantId: string;
  webhookId: string;
  max: number;
  isOrdered: boolean;
  /** Of a broken endpoint, whose deliveries are otherwise left in the queue. */
  isProbe: boolean;
  /** Its settings are not known: claims as much as they allow at one time. */
  isNew: boolean;
}
interface ClaimedRow extends ClaimedDelivery {
  webhookId: string;
  position: string;
  isReplay: boolean;
  /** Since the commit of its event. */
  ageSeconds: number;
  /** null: the event is older than what was searched, or past retention. */
  body: string | null;
  environmentId: string | null;
  traceparent: string | null;
}

/** Of `webhook_queue q`: of the endpoint of `w`, from one time to another. */
const isBetween = (
  from: unknown,
  to: unknown,
) => sql`(q.webhook_id, q.next_attempt_at) >= (w.webhook_id, ${from}::timestamptz)
  and (q.webhook_id, q.next_attempt_at) <= (w.webhook_id, ${to}::timestamptz)`;
const byTime = sql`order by q.webhook_id, q.next_attempt_at`;

// Each statement of a step is planned once per connection, perhaps while the queue is empty. So each says how it is to be
// executed, whatever the statistics are: one look-up for each endpoint (`lateral … limit`, subqueries instead of joins),
// ranges and orders that only the intended index has, and rows changed by a list of ids.

/**
 * Claims due deliveries of these endpoints, which may belong to several tenants, and records the attempts before anything is
 * sent. Nothing is claimed for an endpoint or a tenant that must not be delivered to. Bodies are read from the partitions of
 * the last two days.
 */
export async function claim(
  tx: Tx,
  worker: string,
  claims: readonly Claim[],
  { eventsSince }: { eventsSince: string },
): Promise<ClaimedRow[]> {
  const column = <K extends keyof Claim>(name: K) => claims.map((one) => one[name]);
  const isDue = sql`${isFreeFor(worker)} and (not w.is_ordered or ${isFirst})`;
  const fresh = sql`(now() - make_interval(secs => ${freshSeconds}))`;
  const { rows } = await sql<ClaimedRow>`
    with wanted as materialized (
      select w.tenant_id, w.webhook_id, w.is_ordered, case when not w.is_new then w.max else (
        select least(w.max, coalesce((h.health ->> 'concurrency')::int, w.max), greatest(1,
            least(e.rate_limit, case when (h.health ->> 'isPaced')::boolean then 10 end) / 10))
            * (((h.health ->> 'holdUntil')::timestamptz > now()) is not true)::int
          from (select) as one left join webhook_health h on h.tenant_id = w.tenant_id and h.webhook_id = w.webhook_id) end as max
      from unnest(${column('tenantId')}::text[], ${column('webhookId')}::text[], ${column('max')}::int[],
        ${column('isOrdered')}::boolean[], ${column('isProbe')}::boolean[], ${column('isNew')}::boolean[])
        as w (tenant_id, webhook_id, max, is_ordered, is_probe, is_new)
      cross join lateral (
        select status, rate_limit from webhooks where tenant_id = w.tenant_id and id = w.webhook_id limit 1) as e
      where (e.status in ('active', 'failing') or (w.is_probe and e.status = 'broken'))
        and (select t.status = 'active' from tenants t where t.tenant_id = w.tenant_id)
    ), due as materialized (
      select c.id from wanted w cross join lateral (
        select id from (
          (select id, 0 as priority, next_attempt_at from webhook_queue q
            where ${isBetween(fresh, sql`now()`)} and ${isDue} and not is_replay ${byTime} limit greatest(1, ceil(w.max * 0.8)::int))
          union all
          (select id, 1, next_attempt_at from webhook_queue q
            where ${isBetween(sql`'-infinity'`, sql`now()`)} and ${isDue} ${byTime} limit w.max)
        ) as candidates group by id order by min(priority), min(next_attempt_at) limit w.max
      ) as c
    ), claimed as (
      update webhook_queue q set attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds}), claimed_by = ${worker},
        log = case when leased_until is null then log else log || ${unknownAttempt} end
      where id = any (array(select id from due))
      returning tenant_id, webhook_id, position, is_replay, extract(epoch from now() - created_at)::float8 as age_seconds, ${claimedColumns}
    )
    select c.webhook_id, c.position, c.is_replay, c.age_seconds, c.id, c.event_id, c.event_type, c.retry_count, c.attempts, c.restore_epoch,
      e.body, e.environment_id, e.traceparent
    from claimed c left join lateral (
      select body, environment_id, traceparent from events where tenant_id = c.tenant_id and id = c.event_id and id >= ${eventsSince}
      limit 1
    ) e on true`.execute(tx);
  return rows;
}

/** By the id of the delivery. */
const changesOf = <T extends { id: string; attempts: number }>(rows: readonly T[]) => {
  const changes = sql`${JSON.stringify(Object.fromEntries(rows.map(({ id, ...change }) => [id, change])))}::jsonb`;
  return {
    change: sql`${changes} -> q.id`,
    /** These rows, unless a newer attempt was started. */
    isUnchanged: sql`q.id = any (${rows.map(({ id }) => id)}) and q.attempts = (${changes} -> q.id -> 'attempts')::int`,
  };
};

export interface FinishedDelivery {
  id: string;
  attempts: number;
  status: 'succeeded' | 'exhausted' | 'aborted';
  attempt: Attempt;
}
/** Moves finished deliveries to the log. */
export async function finish(tx: Tx, deliveries: readonly FinishedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const { change, isUnchanged } = changesOf(deliveries);
  await sql`
    with deleted as (
      delete from webhook_queue q where ${isUnchanged} returning q.*, ${change} as change
    )
    insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log, created_at)
    select tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, is_replay, change ->> 'status', attempts,
      log || (change -> 'attempt'), created_at
    from deleted`.execute(tx);
}

export interface Retry {
  id: string;
  attempts: number;
  retryCount: number;
  nextAttemptAt: Date;
  attempt: Attempt;
}
export async function retryLater(tx: Tx, retries: readonly Retry[]): Promise<void> {
  if (retries.length === 0) return;
  const { change, isUnchanged } = changesOf(retries);
  await sql`
    update webhook_queue q set retry_count = (${change} -> 'retryCount')::smallint,
      next_attempt_at = (${change} ->> 'nextAttemptAt')::timestamptz, leased_until = null, claimed_by = null,
      log = log || (${change} -> 'attempt')
    where ${isUnchanged}`.execute(tx);
}

/** Undoes the claim of deliveries that were not started. */
export async function release(tx: Tx, rows: readonly Pick<ClaimedDelivery, 'id' | 'attempts'>[]): Promise<void> {
  if (rows.length === 0) return;
  const { isUnchanged } = changesOf(rows.map(({ id, attempts }) => ({ id, attempts })));
  await sql`update webhook_queue q set attempts = attempts - 1, leased_until = null, claimed_by = null
    where ${isUnchanged}`.execute(tx);
}

/** Deletes deliveries whose event is past retention. */
export const drop = (tx: Tx, ids: readonly string[]) =>
  tx
    .deleteFrom('webhookQueue')
    .where('id', 'in', [...ids])
    .execute();

/**
 * When the next delivery of each endpoint is due, which may be in the past. One that another worker has claimed is due when
 * its lease expires; those come first in the index. Endpoints without any are left out.
 */
export async function nextDue(
  tx: Tx,
  worker: string,
  endpoints: readonly { webhookId: string; isOrdered: boolean }[],
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select w.webhook_id as id, first.at from unnest(${endpoints.map(({ webhookId }) => webhookId)}::text[],
      ${endpoints.map(({ isOrdered }) => isOrdered)}::boolean[]) as w (webhook_id, is_ordered) cross join lateral (
      select min(coalesce(leased_until, next_attempt_at)) as at from (
        select * from webhook_queue q where ${isBetween(sql`'-infinity'`, sql`'infinity'`)} ${byTime} limit 200) as q
      where (claimed_by is distinct from ${worker} or leased_until < now()) and (not w.is_ordered or ${isFirst})) as first
    where first.at is not null`.execute(tx);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export interface EventBody {
  id: string;
  body: string;
  environmentId: string | null;
  traceparent: string | null;
}
export const bodiesOf = (tx: Tx, eventIds: readonly string[]): Promise<EventBody[]> =>
  eventIds.length === 0
    ? Promise.resolve([])
    : prepared(tx)
        .selectFrom('events')
        .select(['id', 'body', 'environmentId', 'traceparent'])
        .where('id', '=', sql<string>`any (${[...new Set(eventIds)]}::text[])`) // one text for any number of them
        .execute();

/** Upper bound, so that listing endpoints stays fast with a large backlog. */
const maxCounted = 100_000;
export async function countWaiting(tx: Tx, webhookIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; n: string }>`
    select id, (select count(*) from (select from webhook_queue q where q.webhook_id = w.id limit ${maxCounted}) as first) as n
    from unnest(${webhookIds}::text[]) as w (id)`.execute(tx);
  return new Map(rows.map(({ id, n }) => [id, Number(n)]));
}
