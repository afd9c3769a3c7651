import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { isTenantActive } from '../tenants/index.ts';
import type { Conversation, Turn } from './conversations.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export const conversationColumns = [
  'id',
  'environmentId',
  'botId',
  'versionId',
  'visitorId',
  'contactId',
  'state',
  'assigneeId',
  'isTest',
  'lastSeq',
  'messageCount',
  'preview',
  'rating',
  'pageUrl',
  'waitingSince',
  'lastMessageAt',
  'closedAt',
  'createdAt',
] as const;

export const find = (tx: Tx, id: string): Promise<Conversation | undefined> =>
  tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('id', '=', id)
    .$narrowType<Conversation>()
    .executeTakeFirst();

/** Undefined while nothing may be begun. */
export const findToAnswer = (tx: Tx, id: string): Promise<Conversation | undefined> =>
  tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('id', '=', id)
    .where(isTenantActive)
    .$narrowType<Conversation>()
    .executeTakeFirst();

/** With what says whether it is counted already. */
export type LockedConversation = Conversation & {
  isHandedOff: boolean;
  isUnresolved: boolean;
  ratedOn: string | null;
};

/** Until the transaction ends: what is decided by its state holds until the commit. */
export const lock = (tx: Tx, id: string): Promise<LockedConversation | undefined> => locked(tx, id).executeTakeFirst();
/** For whoever would begin a turn: with whether anything may be begun. */
export const lockToAnswer = (tx: Tx, id: string) =>
  locked(tx, id)
    .select(isTenantActive.as('isTenantActive'))
    .$narrowType<LockedConversation & { isTenantActive: boolean }>()
    .executeTakeFirst();
const locked = (tx: Tx, id: string) =>
  tx
    .selectFrom('conversations')
    .select([
      ...conversationColumns,
      'isHandedOff',
      'isUnresolved',
      sql<string | null>`to_char(rated_on, 'YYYY-MM-DD')`.as('ratedOn'),
    ])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$narrowType<LockedConversation>();

/** Against everybody, also those who only refer to it: for whoever takes all that is about it away. */
export const lockWhole = (tx: Tx, id: string) =>
  tx.selectFrom('conversations').select('id').where('id', '=', id).forUpdate().executeTakeFirst();

/** Whose it is: a contact's by the contact, else the visitor's own. */
export interface Owner {
  botId: string;
  environmentId: string;
  visitorId: string;
  contactId: string | undefined;
}

const owned = (tx: Tx, { botId, environmentId, visitorId, contactId }: Owner) => {
  const mine = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('botId', '=', botId)
    .where('environmentId', '=', environmentId)
    .$narrowType<Conversation>();
  return contactId === undefined
    ? mine.where('visitorId', '=', visitorId).where('contactId', 'is', null)
    : mine.where('contactId', '=', contactId);
};

export const findOwned = (tx: Tx, owner: Owner, id: string): Promise<Conversation | undefined> =>
  owned(tx, owner).where('id', '=', id).executeTakeFirst();

/** Newest first. */
export const newestOwned = (tx: Tx, owner: Owner, max: number): Promise<Conversation[]> =>
  owned(tx, owner).orderBy('id', 'desc').limit(max).execute();

/** All that somebody ever said here, at whichever bot. A contact is the same person everywhere; a visitor has one bot. */
export const allOf = (tx: Tx, { visitorId, contactId }: Pick<Owner, 'visitorId' | 'contactId'>, max: number) => {
  const all = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .orderBy('id', 'desc')
    .limit(max)
    .$narrowType<Conversation>();
  return contactId === undefined
    ? all.where('visitorId', '=', visitorId).where('contactId', 'is', null).execute()
    : all.where('contactId', '=', contactId).execute();
};

interface NewConversation {
  id: Id<'conversation'>;
  environmentId: string;
  botId: string;
  versionId: string;
  visitorId: string;
  contactId: string | null;
  isTest: boolean;
  pageUrl: string | null;
  expiresAt: Date;
}
export const insert = (tx: Tx, row: NewConversation) =>
  tx
    .insertInto('conversations')
    .values(row)
    .returning(conversationColumns)
    .$narrowType<Conversation>()
    .executeTakeFirstOrThrow();

interface SeenVisitor {
  id: string;
  botId: string;
  environmentId: string;
  label: string;
  tokensAfter: Date;
}
/** Locks the visitor until the commit: two first messages at once begin one conversation. */
export const seeVisitor = (tx: Tx, visitor: SeenVisitor) =>
  tx
    .insertInto('visitors')
    .values(visitor)
    .onConflict((known) =>
      known.columns(['tenantId', 'id']).doUpdateSet((eb) => ({
        lastSeenAt: new Date(),
        tokensAfter: eb.fn('greatest', ['visitors.tokensAfter', 'excluded.tokensAfter']),
      })),
    )
    .execute();

export const findVisitor = (tx: Tx, id: string) =>
  tx
    .selectFrom('visitors')
    .select(['id', 'botId', 'environmentId', 'label', 'tokensAfter', 'createdAt'])
    .where('id', '=', id)
    .executeTakeFirst();

const turnColumns = [
  'id',
  'seq',
  'messageId',
  'replyId',
  'status',
  'mode',
  'reason',
  'stopRequested',
  'attempt',
  'createdAt',
] as const;
export type TurnRow = Turn & {
  seq: number;
  messageId: string;
  replyId: Id<'message'>;
  stopRequested: boolean;
  attempt: string | null;
  createdAt: Date;
};

interface NewTurn {
  conversationId: string;
  id: Id<'turn'>;
  seq: number;
  messageId: string;
  replyId: Id<'message'>;
}
/** With the timer that finds it again if the engine loses it: both or neither, and in one message. */
export const insertTurn = (tx: Tx, { conversationId, id, seq, messageId, replyId }: NewTurn, timer: Timer) =>
  sql`with turn as (
      insert into turns (conversation_id, id, seq, message_id, reply_id)
      values (${conversationId}, ${id}, ${seq}, ${messageId}, ${replyId}))
    select directory.set_timer(${timer.kind}, ${timer.subjectId}, ${timer.dueAt})`.execute(tx);

interface Timer {
  kind: string;
  subjectId: string;
  dueAt: Date;
}

export const findTurn = (tx: Tx, conversationId: string, by: { id: string } | { messageId: string }) => {
  const [column, value] = Object.entries(by)[0] as ['id' | 'messageId', string];
  return tx
    .selectFrom('turns')
    .select(turnColumns)
    .where('conversationId', '=', conversationId)
    .where(column, '=', value)
    .$narrowType<TurnRow>()
    .executeTakeFirst();
};

/** The oldest that is not at its end. */
export const nextOpenTurn = (tx: Tx, conversationId: string) =>
  tx
    .selectFrom('turns')
    .select(turnColumns)
    .where('conversationId', '=', conversationId)
    .where('status', 'in', ['queued', 'running'])
    .orderBy('seq')
    .limit(1)
    .$narrowType<TurnRow>()
    .executeTakeFirst();

/** From here on only this attempt may bring something. */
export const takeTurn = (tx: Tx, conversationId: string, id: string, attempt: string) =>
  tx
    .updateTable('turns')
    .set({ attempt })
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .returning(turnColumns)
    .$narrowType<TurnRow>()
    .executeTakeFirst();

export const findRunning = async (tx: Tx, conversationId: string): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('turns')
      .select('id')
      .where('conversationId', '=', conversationId)
      .where('status', '=', 'running')
      .executeTakeFirst()
  )?.id;

type TurnChange = Partial<{
  status: Turn['status'];
  mode: Turn['mode'];
  reason: string | null;
  stopRequested: boolean;
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
  finishedAt: Date;
}>;
/** The end of a turn: its timer goes with it. */
export const endTurn = (tx: Tx, conversationId: string, id: string, change: TurnChange, timer: Omit<Timer, 'dueAt'>) =>
  sql`with turn as (${tx
    .updateTable('turns')
    .set(change)
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .returning('id')}) select directory.clear_timer(${timer.kind}, ${timer.subjectId})`.execute(tx);

export const updateTurn = (tx: Tx, conversationId: string, id: string, change: TurnChange) =>
  tx.updateTable('turns').set(change).where('conversationId', '=', conversationId).where('id', '=', id).execute();
