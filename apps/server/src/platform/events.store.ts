import { sql } from 'kysely';
import type { Tx } from './db.ts';
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
  /** The body. Without a `sequence`, it gets the event's position. */
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
 * Writes all events of a transaction. From the first position on, the tenant's other transactions wait for the commit,
 * so this comes last and takes few statements, whatever the number of events.
 */
export async function writeEvents(tx: Tx, pending: readonly PendingEvent[]): Promise<void> {
  const events = await withoutWritten(tx, pending);
  const [first] = events;
  if (!first) return;
  const ids = events.map(({ row }) => row.id).toSorted();
  const nextPositions = sql<string>`directory.next_event_positions(${events.length}, ${ids[0]}, ${ids.at(-1)})`;
  // A single event whose body does not contain its position needs no separate statement to take it.
  const isPositionNeeded = events.length > 1 || first.envelope.sequence === undefined;
  const last = isPositionNeeded ? await takePositions(tx, nextPositions) : 0;
  const rows = events.map(({ row, envelope }, n) => {
    const position = last - events.length + 1 + n;
    const body = JSON.stringify({ ...envelope, sequence: envelope.sequence ?? position });
    return { ...row, position: isPositionNeeded ? String(position) : nextPositions, body };
  });
  // The text depends on the number of rows.
  await (rows.length === 1 ? prepared(tx) : tx).insertInto('events').values(rows).execute();
  const auditEntries = events.flatMap(({ auditEntry }) => auditEntry ?? []);
  if (auditEntries.length > 0) await tx.insertInto('auditEntries').values(auditEntries).execute();
}

async function takePositions(tx: Tx, nextPositions: ReturnType<typeof sql<string>>): Promise<number> {
  const { rows } = await sql<{ last: string }>`select ${nextPositions} as last`.execute(tx);
  return Number(rows[0]?.last);
}

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
