import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { firstId, timeOfId } from '../../../platform/ids.ts';
import type { Delivery, DeliveryStatus, Replay } from './deliveries.contract.ts';
import type { Attempt } from '../delivery/send.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export type DeliveryRow = Omit<Delivery, 'lastStatus' | 'hint'> & { log: Attempt[]; position: string };

const common = [
  'id',
  'webhookId',
  'eventId',
  'eventType',
  'conversationId',
  'isReplay',
  'attempts',
  'createdAt',
  'log',
  'position',
] as const;
const queued = (tx: Tx) =>
  tx
    .selectFrom('webhookQueue')
    .select(common)
    .select([
      sql<DeliveryStatus>`'pending'`.as('status'),
      'nextAttemptAt',
      sql<Date | null>`null::timestamptz`.as('finishedAt'),
    ])
    .$castTo<DeliveryRow>();
const finished = (tx: Tx) =>
  tx
    .selectFrom('webhookDeliveries')
    .select(common)
    .select(['status', sql<Date | null>`null::timestamptz`.as('nextAttemptAt'), 'finishedAt'])
    .$castTo<DeliveryRow>();

interface Filter {
  webhookId: string;
  status: DeliveryStatus | undefined;
  before: string | undefined;
  limit: number;
}
/** Pending and finished deliveries in one list, newest first. */
export async function list(tx: Tx, { webhookId, status, before, limit }: Filter): Promise<DeliveryRow[]> {
  const newest = before ?? firstId('delivery', Date.now() + day);
  const isPending = status === undefined || status === 'pending';
  const waiting = queued(tx).where('webhookId', '=', webhookId).where('id', '<', newest).orderBy('id', 'desc');
  const pending = isPending ? await waiting.limit(limit).execute() : [];
  const done = status === 'pending' ? [] : await listFinished(tx, { webhookId, status, before: newest, limit });
  return [...pending, ...done].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

const day = 86_400_000;
/** Most pages are filled by the last days. Older partitions are only read if those have too few rows. */
const recent = 2 * day;

async function listFinished(tx: Tx, { webhookId, status, before, limit }: Filter & { before: string }) {
  let query = finished(tx)
    .where('webhookId', '=', webhookId)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit);
  // The second condition is redundant, but matches the predicate of the partial index on failed deliveries.
  if (status !== undefined) query = query.where('status', '=', status as never);
  if (status !== undefined && status !== 'succeeded') query = query.where(sql<boolean>`status <> 'succeeded'`);
  const some = await query.where('id', '>=', firstId('delivery', timeOfId(before) - recent)).execute();
  return some.length < limit ? query.execute() : some;
}

export const find = async (tx: Tx, webhookId: string, id: string): Promise<DeliveryRow | undefined> =>
  (await queued(tx).where('id', '=', id).where('webhookId', '=', webhookId).executeTakeFirst()) ??
  (await finished(tx).where('id', '=', id).where('webhookId', '=', webhookId).executeTakeFirst());

/** In two queries, whatever their number. */
export async function findAll(tx: Tx, ids: readonly string[]): Promise<DeliveryRow[]> {
  const pending = await queued(tx).where('id', 'in', ids).execute();
  return [...pending, ...(await finished(tx).where('id', 'in', ids).execute())];
}

export const bodyOf = async (tx: Tx, eventId: string) =>
  (await tx.selectFrom('events').select('body').where('id', '=', eventId).executeTakeFirst())?.body ?? null;

/** Queues the event again, as a delivery with its own id. */
export async function replayOne(tx: Tx, row: DeliveryRow, salt: string): Promise<string> {
  const { webhookId, eventId, eventType, conversationId, position } = row;
  const { id } = await tx
    .insertInto('webhookQueue')
    .values({
      id: sql<string>`webhook_delivery_id(${eventId}, ${salt})`,
      webhookId,
      eventId,
      eventType,
      conversationId,
      position,
      isReplay: true,
      nextAttemptAt: sql<Date>`now()`,
      createdAt: sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const replays = (tx: Tx) =>
  tx
    .selectFrom('webhookReplays')
    .select(['id', 'webhookId', 'since', 'until', 'statuses as status', 'state', 'queued', 'createdAt', 'finishedAt'])
    .$narrowType<Replay>();
export const insertReplay = (
  tx: Tx,
  row: { id: Id<'replay'>; webhookId: string; since: Date; until: Date; statuses: string[]; createdBy: string },
) => tx.insertInto('webhookReplays').values(row).execute();
export const findReplay = (tx: Tx, webhookId: string, id: string): Promise<Replay | undefined> =>
  replays(tx).where('id', '=', id).where('webhookId', '=', webhookId).executeTakeFirst();
export const endReplay = (tx: Tx, id: string, state: 'done' | 'cancelled') =>
  tx
    .updateTable('webhookReplays')
    .set({ state, finishedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();

/**
 * Queues the next page of a replay. Cursor and rows change in one transaction, so that no page is queued twice. A replay that
 * has ended has no more pages: if a crash hid that from its caller, the endpoint must still be woken.
 */
export async function replayPage(
  tx: Tx,
  id: string,
  max: number,
): Promise<{ webhookId: string; isLast: boolean } | null> {
  const replay = await tx
    .selectFrom('webhookReplays')
    .select(['webhookId', 'since', 'until', 'statuses', 'afterId', 'state'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!replay) return null;
  if (replay.state !== 'running') return { webhookId: replay.webhookId, isLast: true };
  const { rows } = await sql<{ last: string | null; read: string }>`
    with page as (
      select * from webhook_deliveries where webhook_id = ${replay.webhookId}
        and id > greatest(${replay.afterId}, directory.first_id('dlv', ${replay.since}))
        and id < directory.first_id('dlv', ${replay.until})
        and status = any (${replay.statuses})
      order by id limit ${max}
    ), queued as (
      insert into webhook_queue (id, webhook_id, event_id, event_type, conversation_id, position, is_replay, next_attempt_at, created_at)
      select webhook_delivery_id(event_id, ${id} || id), webhook_id, event_id, event_type, conversation_id, position, true, now(), now()
      from page on conflict do nothing returning 1
    )
    select max(id) as last, count(*) as read from page`.execute(tx);
  const { last = null, read = '0' } = rows[0] ?? {};
  const isLast = Number(read) < max;
  await sql`update webhook_replays set queued = queued + ${Number(read)}, after_id = coalesce(${last}, after_id),
    state = case when ${isLast} then 'done' else state end, finished_at = case when ${isLast} then now() end
    where id = ${id}`.execute(tx);
  return { webhookId: replay.webhookId, isLast };
}

/** Moves deliveries that were queued for longer than `maxAge` to the log as expired. */
const maxAge = sql`interval '30 days'`;
const isTooOld = sql`id < directory.first_id('dlv', now() - ${maxAge}) and created_at < now() - ${maxAge}`;
export const queuedTooLong = sql`
  select tenant_id from webhook_queue where id < directory.first_id('dlv', now() - ${maxAge}) order by id`;

export async function expire(tx: Tx): Promise<{ webhookId: string; eventId: string }[]> {
  const { rows } = await sql<{ webhookId: string; eventId: string }>`
    with expired as (
      delete from webhook_queue where ${isTooOld}
      returning *
    ), logged as (
      insert into webhook_deliveries (id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log, created_at)
      select id, webhook_id, event_id, event_type, conversation_id, position, is_replay, 'expired', attempts, log, created_at from expired
      where id >= directory.first_id('dlv', date_trunc('day', now() - interval '30 days', 'UTC')) -- older partitions of the log are already dropped
    )
    select webhook_id, event_id from expired order by id`.execute(tx);
  return rows;
}
