import { sql } from 'kysely';
import type { Context } from '../../../platform/context.ts';
import { later, type Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { prepared } from '../../../platform/prepared.ts';
import type { LogEntry, Message, Turn } from '../conversations.contract.ts';
import { knownLastSeq, noteLastSeq } from './known-sequences.ts';
import { newestOwnedIds, type Owner } from '../conversations.store.ts';
import { notifyEntries, notifyInbox, type LogNotification } from './live.ts';
import type { OutcomeColumns } from '../../usage/index.ts';

// The log of a conversation, and the only source of what visitors and staff see of it.

/** A message without its sequence number and time. */
export type MessageBody = Pick<Message, 'role' | 'text'> &
  Partial<Pick<Message, 'agent' | 'citations' | 'isAnswer' | 'isHandoffOffered' | 'finish'>>;

export interface Entry {
  type: string;
  payload: object;
  messageId?: string;
  turnId?: string;
  clientMessageId?: string | undefined;
  isInternal?: boolean;
}

interface ConversationUpdate extends Partial<OutcomeColumns> {
  state?: string;
  assigneeId?: string | null;
  teamId?: string | null;
  ratedOn?: string;
  ratedAt?: Date;
  ratingComment?: string | null;
  isHandedOff?: boolean;
  waitingSince?: Date | null;
  closedFrom?: string;
  closedWaitingSince?: Date | null;
  closedSnoozedUntil?: Date | null;
  tags?: string[];
  snoozedUntil?: Date | null;
  pageUrl?: string;
}

const previewLength = 160;

/**
 * Appends to the log and updates the conversation. Allocating sequence numbers locks the conversation's row until the
 * commit, so sequence and commit order agree, without gaps. In a conversation that the transaction has locked before, they
 * are known, and the write travels with the next statement. Watchers are notified after the commit.
 */
export async function append(
  ctx: Context,
  conversationId: string,
  entries: readonly Entry[],
  head: ConversationUpdate = {},
): Promise<number[]> {
  const { tx, now } = ctx;
  const messages = entries.filter(({ messageId, isInternal }) => messageId !== undefined && !isInternal);
  const last = messages.at(-1)?.payload as MessageBody | undefined;
  const update = tx
    .updateTable('conversations')
    .set((eb) => ({
      ...head,
      lastSeq: eb('lastSeq', '+', entries.length),
      ...(last && {
        messageCount: eb('messageCount', '+', messages.length),
        preview: last.text.slice(0, previewLength),
        lastMessageAt: now,
        // The bot's retention period restarts with each message.
        expiresAt: sql<Date>`${now}::timestamptz + (select retention_days from bots where bots.id = bot_id) * interval '1 day'`,
      }),
      ...(last?.role === 'visitor' && {
        visitorPreview: last.text.slice(0, previewLength),
        visitorSeq: eb('lastSeq', '+', entries.length),
        snoozedUntil: null,
      }),
      // Who replies has read what they reply to.
      ...(last?.role === 'agent' && { agentReadSeq: eb('lastSeq', '+', entries.length) }),
    }))
    .where('id', '=', conversationId)
    .returning('lastSeq');
  const lastSeq = knownLastSeq(tx, conversationId);
  // Without the conversation, or if a known number is wrong, the sequence number is null, which the table refuses.
  const written = sql<{ seq: number }>`
    with head as (${update})
    insert into conversation_events
      (conversation_id, seq, type, message_id, turn_id, client_message_id, is_internal, payload, created_at)
    select ${conversationId}, head.last_seq - ${entries.length}::int + ordinal, type, message_id, turn_id, client_message_id,
      is_internal, payload, ${now}
    from unnest(${entries.map(({ type }) => type)}::text[], ${entries.map(({ messageId = null }) => messageId)}::text[],
      ${entries.map(({ turnId = null }) => turnId)}::text[],
      ${entries.map(({ clientMessageId = null }) => clientMessageId)}::text[],
      ${entries.map(({ isInternal = false }) => isInternal)}::boolean[],
      ${entries.map(({ payload }) => JSON.stringify(payload))}::jsonb[])
      with ordinality as entry (type, message_id, turn_id, client_message_id, is_internal, payload, ordinal)
    left join head on ${lastSeq ?? null}::int is null or head.last_seq = ${lastSeq ?? null}::int + ${entries.length}::int
    order by ordinal returning seq`.execute(prepared(tx));
  const firstSeq = lastSeq === undefined ? ((await written).rows[0]?.seq ?? 0) : lastSeq + 1;
  if (lastSeq !== undefined) later(tx, written);
  noteLastSeq(tx, conversationId, firstSeq + entries.length - 1);
  const notifications = entries.map((entry, index): LogNotification => ({
    ...toEntry({ ...entry, seq: firstSeq + index, createdAt: now }),
    isInternal: entry.isInternal ?? false,
  }));
  ctx.afterCommit(() => {
    notifyEntries(ctx, conversationId, notifications);
    notifyInbox(ctx, conversationId);
  });
  return notifications.map(({ seq }) => seq);
}

interface LogRow {
  seq: number;
  type: string;
  messageId?: string | null | undefined;
  turnId?: string | null | undefined;
  clientMessageId?: string | null | undefined;
  payload: unknown;
  createdAt: Date;
}

const columns = ['seq', 'type', 'messageId', 'turnId', 'clientMessageId', 'payload', 'createdAt'] as const;

/** The entry as streams send it. A message has the same form whichever event created it. */
export function toEntry(row: LogRow): LogEntry {
  const { seq, type, createdAt, payload, turnId } = row;
  const message = toMessage(row);
  const { turn } = payload as { turn?: Turn };
  const content = message ? { message, ...(turn && { turn }) } : (payload as object);
  const data = { ...content, ...(turnId && { turnId }) };
  return { seq, type, data, createdAt };
}

export function toMessage({
  seq,
  messageId,
  turnId,
  clientMessageId,
  payload,
  createdAt,
}: LogRow): Message | undefined {
  if (!messageId) return undefined;
  const { role, text, ...rest } = payload as MessageBody;
  return {
    id: messageId as Message['id'],
    seq,
    role: role ?? 'system',
    text: text ?? '', // erased
    clientMessageId: clientMessageId ?? null,
    turnId: (turnId ?? null) as Message['turnId'],
    agent: rest.agent ?? null,
    citations: rest.citations ?? [],
    isAnswer: rest.isAnswer ?? null,
    isHandoffOffered: rest.isHandoffOffered ?? false,
    finish: rest.finish ?? null,
    createdAt,
  };
}

interface ReadOptions {
  after: number;
  max: number;
  withInternal?: boolean;
}
export async function entriesAfter(tx: Tx, conversationId: string, { after, max, withInternal = false }: ReadOptions) {
  const rows = await prepared(tx)
    .selectFrom('conversationEvents')
    .select([...columns, 'isInternal'])
    .where('conversationId', '=', conversationId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(max)
    .execute();
  // Internal entries become placeholders for visitors, so that sequence numbers have no gaps.
  return rows.map((row): LogEntry =>
    row.isInternal && !withInternal
      ? { seq: row.seq, type: 'internal', data: {}, createdAt: row.createdAt }
      : toEntry(row),
  );
}

/** Everything that staff see, newest first, before a sequence number. */
export async function entriesBefore(
  tx: Tx,
  conversationId: string,
  { before, max }: { before?: number | undefined; max: number },
): Promise<(LogEntry & { isInternal: boolean })[]> {
  let query = prepared(tx)
    .selectFrom('conversationEvents')
    .select([...columns, 'isInternal'])
    .where('conversationId', '=', conversationId)
    .orderBy('seq', 'desc')
    .limit(max);
  if (before !== undefined) query = query.where('seq', '<', before);
  return (await query.execute()).map((row) => ({ ...toEntry(row), isInternal: row.isInternal }));
}

/** Newest first, before a sequence number. */
export async function messagesBefore(
  tx: Tx,
  conversationId: string,
  { before, max, withInternal = false }: { before?: number | undefined; max: number; withInternal?: boolean },
): Promise<(Message & { isNote: boolean })[]> {
  let query = prepared(tx)
    .selectFrom('conversationEvents')
    .select([...columns, 'isInternal'])
    .where('conversationId', '=', conversationId)
    .where('messageId', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(max);
  if (before !== undefined) query = query.where('seq', '<', before);
  if (!withInternal) query = query.where('isInternal', '=', false);
  return (await query.execute()).flatMap((row) => {
    const message = toMessage(row);
    return message ? [{ ...message, isNote: row.isInternal }] : [];
  });
}

export async function findMessage(
  tx: Tx,
  conversationId: string,
  by: { clientMessageId: string } | { messageId: string },
) {
  const [column, value] = Object.entries(by)[0] as ['clientMessageId' | 'messageId', string];
  const row = await tx
    .selectFrom('conversationEvents')
    .select(columns)
    .where('conversationId', '=', conversationId)
    .where(column, '=', value)
    .where('isInternal', '=', false)
    .executeTakeFirst();
  return row && toMessage(row);
}

/** A message of one of the owner's newest conversations that was already accepted. */
export async function findSent(tx: Tx, owner: Owner, clientMessageId: string, max: number) {
  const row = await prepared(tx)
    .selectFrom('conversationEvents')
    .select([...columns, 'conversationId'])
    .$narrowType<{ conversationId: Id<'conversation'> }>()
    // An array, so that each conversation is one index lookup.
    .where('conversationId', '=', sql<string>`any (array(${newestOwnedIds(tx, owner, max)}))`)
    .where('clientMessageId', '=', clientMessageId)
    .where('isInternal', '=', false)
    .orderBy('conversationId', 'desc')
    .limit(1)
    .executeTakeFirst();
  const message = row && toMessage(row);
  return message && { conversationId: row.conversationId, message };
}

/** The newest entry of a type whose payload contains these fields. Never an internal one. */
export async function findEntry(tx: Tx, conversationId: string, type: string, fields: Record<string, string>) {
  return tx
    .selectFrom('conversationEvents')
    .select(['payload', 'createdAt'])
    .where('conversationId', '=', conversationId)
    .where('type', '=', type)
    .where('isInternal', '=', false)
    .where(sql<boolean>`payload @> ${JSON.stringify(fields)}::jsonb`)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}
