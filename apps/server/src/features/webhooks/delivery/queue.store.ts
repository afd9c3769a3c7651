import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { Attempt } from './send.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export interface Claimed {
  id: string;
  eventId: string;
  eventType: string;
  /** Failures that count towards the retry schedule. */
  retryCount: number;
  /** This one's number: what finishes under another has been overtaken. */
  attempts: number;
}

/** How long an attempt may go unheard of: longer than any takes. Then it is made again, and the log says that it may be a repeat. */
const leaseSeconds = 30;

/** What counts as fresh goes before what waited, but never takes all: a backlog moves while new events come. */
const freshSeconds = 5;

const unheard = sql`jsonb_build_object('id', null, 'number', attempts, 'at', leased_until - make_interval(secs => ${leaseSeconds}),
  'outcome', 'unknown', 'status', null, 'error', 'unknown', 'hint', null, 'timings', null, 'ip', null, 'response', null)`;

const isFree = sql`(leased_until is null or leased_until < now())`;
/** Within a conversation only the oldest, and none while another is on its way or waits to be tried again. */
const isFirst = sql`(conversation_id is null or not exists (
  select from webhook_queue earlier where earlier.webhook_id = q.webhook_id
    and earlier.conversation_id = q.conversation_id and earlier.position < q.position))`;

/**
 * Takes up to so many that are due, and writes down that they have begun, before anything is sent. Here and below rows are
 * changed by a list of their ids: a planner that believes the queue to be empty, as it was a moment ago, still looks up each.
 */
export async function claim(tx: Tx, webhookId: string, max: number, isOrdered: boolean): Promise<Claimed[]> {
  const order = isOrdered ? isFirst : sql`true`;
  const { rows } = await sql<Claimed>`
    with candidates as (
      (select id, 0 as lane, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now()
        and next_attempt_at > now() - make_interval(secs => ${freshSeconds}) and not is_replay and ${isFree} and ${order}
        order by next_attempt_at limit ${Math.max(1, Math.ceil(max * 0.8))})
      union all
      (select id, 1, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now() and ${isFree} and ${order}
        order by next_attempt_at limit ${max})
    )
    update webhook_queue q set attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds}),
      log = case when leased_until is null then log else log || ${unheard} end
    where id = any (array(select id from candidates group by id order by min(lane), min(next_attempt_at) limit ${max}))
    returning id, event_id, event_type, retry_count, attempts`.execute(tx);
  return rows;
}

/** These, unless another attempt has begun since. */
const unchanged = (rows: readonly { id: string; attempts: number }[]) =>
  sql`q.id = any (${rows.map(({ id }) => id)}) and q.id || '/' || q.attempts = any (${rows.map(({ id, attempts }) => `${id}/${attempts}`)})`;

export interface Ending {
  id: string;
  attempts: number;
  status: 'succeeded' | 'exhausted' | 'aborted';
  attempt: Attempt;
}
/** Moves what is over into the log. */
export async function finish(tx: Tx, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  await sql`
    with ended as (
      select * from jsonb_to_recordset(${JSON.stringify(endings)}::jsonb) as e (id text, status text, attempt jsonb)
    ), gone as (
      delete from webhook_queue q where ${unchanged(endings)} returning *
    )
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log, created_at)
    select id, webhook_id, event_id, event_type, conversation_id, position, is_replay, ended.status, attempts, log || attempt, created_at
    from gone join ended using (id)`.execute(tx);
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
    where ${unchanged(retries)} and q.id = r.id`.execute(tx);
}

/** Taken on and not begun: as if it had not been. */
export async function giveBack(tx: Tx, rows: readonly Claimed[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`update webhook_queue q set attempts = attempts - 1, leased_until = null where ${unchanged(rows)}`.execute(
    tx,
  );
}

/** What cannot be sent any more, since its event is gone. */
export const drop = (tx: Tx, ids: readonly string[]) =>
  tx
    .deleteFrom('webhookQueue')
    .where('id', 'in', [...ids])
    .execute();

/** When the next is due; one that is on its way is due when nothing is heard of it. Those were due first: they are in front. */
export async function nextDue(tx: Tx, webhookId: string): Promise<{ at: Date | null; isNow: boolean }> {
  const { rows } = await sql<{ at: Date | null; isNow: boolean | null }>`
    select min(due) as at, min(due) <= clock_timestamp() as is_now from (
      select coalesce(leased_until, next_attempt_at) as due from webhook_queue where webhook_id = ${webhookId}
      order by next_attempt_at limit 200) as first`.execute(tx);
  return { at: rows[0]?.at ?? null, isNow: rows[0]?.isNow ?? false };
}

export interface EventBytes {
  id: string;
  body: string;
  environmentId: string | null;
  traceparent: string | null;
}
export const bodiesOf = (tx: Tx, eventIds: readonly string[]): Promise<EventBytes[]> =>
  eventIds.length === 0
    ? Promise.resolve([])
    : tx
        .selectFrom('events')
        .select(['id', 'body', 'environmentId', 'traceparent'])
        .where('id', 'in', [...new Set(eventIds)])
        .execute();

/** Counted up to here: who looks at a list does not pay for a backlog. */
const maxCounted = 100_000;
export async function countWaiting(tx: Tx, webhookIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; n: string }>`
    select id, (select count(*) from (select from webhook_queue q where q.webhook_id = w.id limit ${maxCounted}) as first) as n
    from unnest(${webhookIds}::text[]) as w (id)`.execute(tx);
  return new Map(rows.map(({ id, n }) => [id, Number(n)]));
}

/**
 * The endpoints of this tenant that have something to deliver and that nobody was asked to wake: from now on, somebody
 * was, and a timer says so in case the call is lost. While the tenant is held, none.
 */
export async function askAwake(tx: Tx, timer: string, seconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with asleep as (
      update webhooks w set awake_until = now() + make_interval(secs => ${seconds})
      where status in ('active', 'failing') and awake_until < now() and ${isTenantActive}
        and exists (select from webhook_queue q where q.webhook_id = w.id and q.next_attempt_at <= now())
      returning id
    )
    select id, directory.set_timer(${timer}, id, now()) from asleep`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Says whether nobody was at work there or had just been asked. From now on somebody was. */
export async function askOne(tx: Tx, webhookId: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    update webhooks set awake_until = now() + make_interval(secs => ${seconds})
    where id = ${webhookId} and awake_until < now() returning id`.execute(tx);
  return rows.length > 0;
}
