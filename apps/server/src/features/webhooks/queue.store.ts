import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Attempt } from './sending.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export interface Claimed {
  id: string;
  eventId: string;
  eventType: string;
  tries: number;
  /** This one's number: what finishes under another has been overtaken. */
  attempts: number;
}

/** How long an attempt may go unheard of: longer than any takes. Then it is made again, and the log says that it may be a repeat. */
const leaseSeconds = 45;

/** What counts as fresh goes before what waited, but never takes all: a backlog moves while new events come. */
const freshSeconds = 5;

const unheard = sql`jsonb_build_object('id', null, 'number', attempts, 'at', leased_until - make_interval(secs => ${leaseSeconds}),
  'outcome', 'unknown', 'status', null, 'error', 'unknown', 'hint', null, 'timings', null, 'address', null, 'response', null)`;

const isFree = sql`(leased_until is null or leased_until < now())`;
/** Within a conversation only the oldest, and none while another is on its way or waits to be tried again. */
const isFirst = sql`(conversation_id is null or not exists (
  select from webhook_queue earlier where earlier.webhook_id = q.webhook_id
    and earlier.conversation_id = q.conversation_id and earlier.position < q.position))`;

/** Takes up to so many that are due, and writes down that they have begun, before anything is sent. */
export async function claim(tx: Tx, webhookId: string, most: number, isOrdered: boolean): Promise<Claimed[]> {
  const order = isOrdered ? isFirst : sql`true`;
  const { rows } = await sql<Claimed>`
    with due as (
      select id from (
      (select id, 0 as lane, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now()
        and next_attempt_at > now() - make_interval(secs => ${freshSeconds}) and not is_replay and ${isFree} and ${order}
        order by next_attempt_at limit ${Math.max(1, Math.ceil(most * 0.8))})
      union all
      (select id, 1, next_attempt_at from webhook_queue q where webhook_id = ${webhookId} and next_attempt_at <= now() and ${isFree} and ${order}
        order by next_attempt_at limit ${most})
      ) as candidates group by id order by min(lane), min(next_attempt_at) limit ${most}
    )
    update webhook_queue q set attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds}),
      log = case when leased_until is null then log else log || ${unheard} end
    where id in (select id from due)
    returning id, event_id, event_type, tries, attempts`.execute(tx);
  return rows;
}

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
      select * from jsonb_to_recordset(${JSON.stringify(endings)}::jsonb) as e (id text, attempts smallint, status text, attempt jsonb)
    ), gone as (
      delete from webhook_queue q using ended e where q.id = e.id and q.attempts = e.attempts
      returning q.*, e.status as ended_as, e.attempt
    )
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log, created_at)
    select id, webhook_id, event_id, event_type, conversation_id, position, is_replay, ended_as, attempts, log || attempt, created_at from gone`.execute(
    tx,
  );
}

export interface Retry {
  id: string;
  attempts: number;
  tries: number;
  nextAttemptAt: Date;
  attempt: Attempt;
}
export async function retryLater(tx: Tx, retries: readonly Retry[]): Promise<void> {
  if (retries.length === 0) return;
  await sql`
    update webhook_queue q set tries = r.tries, next_attempt_at = r."nextAttemptAt", leased_until = null, log = q.log || r.attempt
    from jsonb_to_recordset(${JSON.stringify(retries)}::jsonb)
      as r (id text, attempts smallint, tries smallint, "nextAttemptAt" timestamptz, attempt jsonb)
    where q.id = r.id and q.attempts = r.attempts`.execute(tx);
}

/** What cannot be sent any more, since its event is gone. */
export const drop = (tx: Tx, ids: readonly string[]) =>
  tx
    .deleteFrom('webhookQueue')
    .where('id', 'in', [...ids])
    .execute();

/** When the next is due; one that is on its way is due when nothing is heard of it. Those were due first: they are in front. */
export async function nextDue(tx: Tx, webhookId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(coalesce(leased_until, next_attempt_at)) as at from (
      select leased_until, next_attempt_at from webhook_queue where webhook_id = ${webhookId}
      order by next_attempt_at limit 200) as first`.execute(tx);
  return rows[0]?.at ?? null;
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

export async function countWaiting(tx: Tx, webhookIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('webhookQueue')
    .select(['webhookId', (eb) => eb.fn.countAll<string>().as('n')])
    .where('webhookId', 'in', [...webhookIds])
    .groupBy('webhookId')
    .execute();
  return new Map(rows.map(({ webhookId, n }) => [webhookId, Number(n)]));
}

/** The endpoints of this tenant that have something to deliver and that nobody was asked to wake: from now on, somebody was. */
export async function askAwake(tx: Tx, seconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks w set awake_until = now() + make_interval(secs => ${seconds})
    where status in ('active', 'failing') and awake_until < now()
      and exists (select from webhook_queue q where q.webhook_id = w.id and q.next_attempt_at <= now())
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}
