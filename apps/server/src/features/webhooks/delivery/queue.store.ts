import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { restoreEpochSince } from '../../../platform/restores.ts';
import { isTenantActive } from '../../tenants/index.ts';
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

const isFree = sql`(leased_until is null or leased_until < now())`;
/** Only the oldest of each conversation: none while an earlier one is in flight or waiting for a retry. */
const isFirst = sql`(conversation_id is null or not exists (
  select from webhook_queue earlier where earlier.webhook_id = q.webhook_id
    and earlier.conversation_id = q.conversation_id and earlier.position < q.position))`;

/** Of a row of `webhook_queue q`. */
export const claimedColumns = sql`id, event_id, event_type, retry_count, attempts, ${restoreEpochSince('q.created_at')} as restore_epoch`;

/**
 * Claims up to `max` due deliveries, and records the attempts before anything is sent. Here and below, rows are updated by a
 * list of ids: the planner then uses the index even if its statistics say that the queue is empty.
 */
export async function claim(tx: Tx, webhookId: string, max: number, isOrdered: boolean): Promise<ClaimedDelivery[]> {
  const order = isOrdered ? isFirst : sql`true`;
  const { rows } = await sql<ClaimedDelivery>`
    with candidates as (
      (select id, 0 as priority, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now()
        and next_attempt_at > now() - make_interval(secs => ${freshSeconds}) and not is_replay and ${isFree} and ${order}
        order by next_attempt_at limit ${Math.max(1, Math.ceil(max * 0.8))})
      union all
      (select id, 1, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now() and ${isFree} and ${order}
        order by next_attempt_at limit ${max})
    )
    update webhook_queue q set attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds}),
      log = case when leased_until is null then log else log || ${unknownAttempt} end
    where id = any (array(select id from candidates group by id order by min(priority), min(next_attempt_at) limit ${max}))
    returning ${claimedColumns}`.execute(prepared(tx));
  return rows;
}

/** These rows, unless a newer attempt was started. */
const unchanged = (rows: readonly { id: string; attempts: number }[]) =>
  sql`q.id = any (${rows.map(({ id }) => id)}) and q.id || '/' || q.attempts = any (${rows.map(({ id, attempts }) => `${id}/${attempts}`)})`;

export interface FinishedDelivery {
  id: string;
  attempts: number;
  status: 'succeeded' | 'exhausted' | 'aborted';
  attempt: Attempt;
}
/** Moves finished deliveries to the log. */
export async function finish(tx: Tx, deliveries: readonly FinishedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await sql`
    with finished as (
      select * from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) as e (id text, status text, attempt jsonb)
    ), deleted as (
      delete from webhook_queue q where ${unchanged(deliveries)} returning *
    )
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log, created_at)
    select id, webhook_id, event_id, event_type, conversation_id, position, is_replay, finished.status, attempts, log || attempt, created_at
    from deleted join finished using (id)`.execute(prepared(tx));
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
  await sql`
    update webhook_queue q set retry_count = r."retryCount", next_attempt_at = r."nextAttemptAt", leased_until = null, log = q.log || r.attempt
    from jsonb_to_recordset(${JSON.stringify(retries)}::jsonb) as r (id text, "retryCount" smallint, "nextAttemptAt" timestamptz, attempt jsonb)
    where ${unchanged(retries)} and q.id = r.id`.execute(prepared(tx));
}

/** Undoes the claim of deliveries that were not started. */
export async function release(tx: Tx, rows: readonly ClaimedDelivery[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`update webhook_queue q set attempts = attempts - 1, leased_until = null where ${unchanged(rows)}`.execute(
    tx,
  );
}

/** Deletes deliveries whose event is past retention. */
export const drop = (tx: Tx, ids: readonly string[]) =>
  tx
    .deleteFrom('webhookQueue')
    .where('id', 'in', [...ids])
    .execute();

/** When the next delivery is due. One in flight is due when its lease expires; those come first in the index. */
export async function nextDue(tx: Tx, webhookId: string): Promise<{ at: Date | null; isNow: boolean }> {
  const { rows } = await sql<{ at: Date | null; isNow: boolean | null }>`
    select min(due) as at, min(due) <= clock_timestamp() as is_now from (
      select coalesce(leased_until, next_attempt_at) as due from webhook_queue where webhook_id = ${webhookId}
      order by next_attempt_at limit 200) as first`.execute(prepared(tx));
  return { at: rows[0]?.at ?? null, isNow: rows[0]?.isNow ?? false };
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

/**
 * Marks idle endpoints with due deliveries as awake and returns them. A timer is set in case the wake call is lost. None while
 * the tenant is suspended.
 */
export async function markIdleAwake(tx: Tx, timer: string, seconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with idle as (
      update webhooks w set awake_until = now() + make_interval(secs => ${seconds})
      where status in ('active', 'failing') and awake_until < now() and ${isTenantActive}
        and exists (select from webhook_queue q where q.webhook_id = w.id and q.next_attempt_at <= now())
      returning id
    )
    select id, directory.set_timer(${timer}, id, now()) from idle`.execute(prepared(tx));
  return rows.map(({ id }) => id);
}

/** Marks an endpoint as awake. Returns false if it was awake already: since the last restore, or the run that woke it is lost. */
export async function markAwake(tx: Tx, webhookId: string, seconds: number): Promise<boolean> {
  const duration = sql`make_interval(secs => ${seconds})`;
  const { rows } = await sql`
    update webhooks set awake_until = now() + ${duration}
    where id = ${webhookId} and (awake_until < now() or exists (
      select from deployment.restores where restored_at > awake_until - ${duration}))
    returning id`.execute(tx);
  return rows.length > 0;
}
