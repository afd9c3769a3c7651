import { sql } from 'kysely';
import { later, type Tx } from './db.ts';
import type { Id } from './ids.contract.ts';
import { prepared } from './prepared.ts';

/** An event as subscribers receive it. */
export interface StoredEvent {
  id: Id<'event'>;
  position: number;
  type: string;
  isPublic: boolean;
  environmentId: string | null;
  botId: string | null;
  conversationId: string | null;
  subjectId: string;
  traceparent: string | null;
  body: string;
}

/** An event that is written at the end of its transaction. */
export interface PendingEvent {
  row: Omit<StoredEvent, 'position' | 'body'> & { createdAt: Date };
  /** The body. Without a `sequence`, it gets the event's position. Only `data`, at its end, contains other objects. */
  envelope: { sequence: number | undefined };
  auditEntry: {
    id: Id<'auditEntry'>;
    eventId: Id<'event'>;
    action: string;
    subjectId: string;
    actorType: string;
    actorId: string;
    requestId: string | null;
    data: string;
    createdAt: Date;
  } | null;
  /** Its id comes from a journaled step, so an earlier attempt may have written it. */
  isRepeatable: boolean;
}

/**
 * Writes all events of a transaction. From the first position on, the tenant's other transactions wait for the commit, so
 * this comes last and travels with it. Returns what reads, after the commit, which webhook endpoints got a delivery.
 */
export async function writeEvents(tx: Tx, pending: readonly PendingEvent[]): Promise<() => string[]> {
  let woken: string[] = [];
  const events = await withoutWritten(tx, pending);
  if (events.length === 0) return () => woken;
  later(tx, insertEvents(tx, events));
  if (events.some(({ row }) => row.isPublic))
    later(
      tx,
      readWoken(tx).then((ids) => (woken = ids)),
    );
  const auditEntries = events.flatMap(({ auditEntry }) => auditEntry ?? []);
  if (auditEntries.length > 0) later(tx, insertAuditEntries(tx, auditEntries));
  return () => woken;
}

/** Set by the trigger that queues the deliveries. */
async function readWoken(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ ids: string | null }>`
    select current_setting('app.woken_webhooks', true) as ids`.execute(prepared(tx));
  const ids = rows[0]?.ids ?? '';
  return ids === '' ? [] : ids.split(',');
}

/** One statement for any number of events, so that their positions need not be known here. */
function insertEvents(tx: Tx, events: readonly PendingEvent[]) {
  const rows = events.map(({ row }) => row);
  const bodies = events.map(({ envelope }) => bodyAroundSequence(envelope));
  const ids = rows.map(({ id }) => id);
  const [lowest, highest] = [ids.toSorted()[0], ids.toSorted().at(-1)];
  return sql`
    with stream as materialized (
      select directory.next_event_positions(${rows.length}, ${lowest}, ${highest}) - ${rows.length} as last_position)
    insert into events (id, position, type, is_public, environment_id, bot_id, conversation_id, subject_id, traceparent,
      body, created_at)
    select id, last_position + ordinal, type, is_public, environment_id, bot_id, conversation_id, subject_id, traceparent,
      before || coalesce(sequence, last_position + ordinal)::text || after, created_at
    from stream, unnest(${ids}::text[], ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ isPublic }) => isPublic)}::boolean[], ${rows.map(({ environmentId }) => environmentId)}::text[],
      ${rows.map(({ botId }) => botId)}::text[], ${rows.map(({ conversationId }) => conversationId)}::text[],
      ${rows.map(({ subjectId }) => subjectId)}::text[], ${rows.map(({ traceparent }) => traceparent)}::text[],
      ${rows.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${bodies.map(({ before }) => before)}::text[], ${bodies.map(({ sequence }) => sequence)}::bigint[],
      ${bodies.map(({ after }) => after)}::text[])
      with ordinality as event (id, type, is_public, environment_id, bot_id, conversation_id, subject_id, traceparent,
        created_at, before, sequence, after, ordinal)
    order by ordinal`.execute(prepared(tx));
}

const gap = '"sequence":null';

/** The body in two parts, since the database inserts the position where there is no `sequence`. */
function bodyAroundSequence(envelope: PendingEvent['envelope']) {
  const body = JSON.stringify({ ...envelope, sequence: null });
  const at = body.indexOf(gap); // never inside a string, where the quotes would be escaped
  return {
    before: body.slice(0, at + gap.length - 'null'.length),
    sequence: envelope.sequence ?? null,
    after: body.slice(at + gap.length),
  };
}

const insertAuditEntries = (tx: Tx, entries: NonNullable<PendingEvent['auditEntry']>[]) =>
  // The text depends on the number of rows.
  (entries.length <= 2 ? prepared(tx) : tx).insertInto('auditEntries').values(entries).execute();

/** Leaves out the events that an earlier attempt of their step has written. */
async function withoutWritten(tx: Tx, pending: readonly PendingEvent[]): Promise<readonly PendingEvent[]> {
  const ids = pending.flatMap(({ isRepeatable, row }) => (isRepeatable ? [row.id] : []));
  if (ids.length === 0) return pending;
  const rows = await tx.selectFrom('events').select('id').where('id', 'in', ids).execute();
  const written = new Set<string>(rows.map(({ id }) => id));
  return pending.filter(({ isRepeatable, row }) => {
    if (!isRepeatable) return true;
    const isNew = !written.has(row.id);
    written.add(row.id); // the same step may emit it twice in one transaction
    return isNew;
  });
}

/** Narrows a read. */
interface EventRange {
  types?: readonly string[];
  /** The last position to read. */
  lastPosition?: number;
  /** Partitions outside of these ids are not read. */
  ids?: { lowest: string; highest: string } | undefined;
}

/** The next events of this tenant, in order. */
export async function eventsAfter(
  { tx }: { tx: Tx },
  position: number,
  max: number,
  { types, lastPosition, ids }: EventRange = {},
): Promise<StoredEvent[]> {
  let query = (types ? tx : prepared(tx)) // the SQL depends on the number of types
    .selectFrom('events')
    .select([
      'id',
      'position',
      'type',
      'isPublic',
      'environmentId',
      'botId',
      'conversationId',
      'subjectId',
      'traceparent',
      'body',
    ])
    .where('position', '>', String(position))
    .orderBy('position')
    .limit(max);
  if (lastPosition !== undefined) query = query.where('position', '<=', String(lastPosition));
  if (ids) query = query.where('id', '>=', ids.lowest).where('id', '<=', ids.highest);
  if (types) query = query.where('isPublic', '=', true).where('type', 'in', types.length > 0 ? types : ['']);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, id: row.id as Id<'event'>, position: Number(row.position) }));
}
