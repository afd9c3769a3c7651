import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import { isTenantActive } from '../tenants/index.ts';
import type { OutcomeColumns } from '../usage/index.ts';
import type { Conversation, State, Turn } from './conversations.contract.ts';

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
  'teamId',
  'isTest',
  'lastSeq',
  'messageCount',
  'preview',
  'rating',
  'pageUrl',
  'channel',
  'language',
  'tags',
  'waitingSince',
  'snoozedUntil',
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

/** undefined while the tenant is not active. */
export const findAnswerable = (tx: Tx, id: string): Promise<Conversation | undefined> =>
  tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('id', '=', id)
    .where(isTenantActive)
    .$narrowType<Conversation>()
    .executeTakeFirst();

/** With the columns that say what was already counted. */
export type LockedConversation = Conversation &
  OutcomeColumns & {
    isHandedOff: boolean;
    ratedOn: string | null;
    closedFrom: State | null;
    closedWaitingSince: Date | null;
    closedSnoozedUntil: Date | null;
  };

/** Locked until the transaction ends, so its state cannot change before the commit. */
export const lock = (tx: Tx, id: string): Promise<LockedConversation | undefined> => locked(tx, id).executeTakeFirst();
/** For starting a turn: includes whether the tenant is active. */
export const lockForTurn = (tx: Tx, id: string) =>
  locked(tx, id)
    .select(isTenantActive.as('isTenantActive'))
    .$narrowType<LockedConversation & { isTenantActive: boolean }>()
    .executeTakeFirst();
const locked = (tx: Tx, id: string) =>
  prepared(tx)
    .selectFrom('conversations')
    .select([
      ...conversationColumns,
      'isHandedOff',
      'outcome',
      'isAnswered',
      'lastReplyId',
      'isHelpful',
      'cameBack',
      'handoffRequestedAt',
      'agentJoinedAt',
      'agentRepliedAt',
      'closedFrom',
      'closedWaitingSince',
      'closedSnoozedUntil',
      sql<string | null>`to_char(rated_on, 'YYYY-MM-DD')`.as('ratedOn'),
    ])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$narrowType<LockedConversation>();

/** Also blocks foreign-key checks: for erasure, which deletes everything that refers to it. */
export const lockForErasure = (tx: Tx, id: string) =>
  tx.selectFrom('conversations').select('id').where('id', '=', id).forUpdate().executeTakeFirst();

/** Owner of a conversation: the contact if there is one, otherwise the visitor. */
export interface Owner {
  botId: string;
  environmentId: string;
  visitorId: string;
  contactId: string | undefined;
}

const owned = (tx: Tx, { botId, environmentId, visitorId, contactId }: Owner) => {
  const query = prepared(tx)
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('botId', '=', botId)
    .where('environmentId', '=', environmentId)
    .$narrowType<Conversation>();
  return contactId === undefined
    ? query.where('visitorId', '=', visitorId).where('contactId', 'is', null)
    : query.where('contactId', '=', contactId);
};

export const findOwned = (tx: Tx, owner: Owner, id: string): Promise<Conversation | undefined> =>
  owned(tx, owner).where('id', '=', id).executeTakeFirst();

/** Newest first. */
export const newestOwned = (tx: Tx, owner: Owner, max: number): Promise<Conversation[]> =>
  owned(tx, owner).orderBy('id', 'desc').limit(max).execute();

/** The same, locked until the commit: who answers a message must not change in between. */
export const lockNewestOwned = (tx: Tx, owner: Owner, max: number): Promise<Conversation[]> =>
  owned(tx, owner).orderBy('id', 'desc').limit(max).forNoKeyUpdate().execute();

/** All conversations of an owner, with any bot. A contact may use several bots; a visitor has one. */
export const listOwned = (tx: Tx, { visitorId, contactId }: Pick<Owner, 'visitorId' | 'contactId'>, max: number) => {
  const query = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .orderBy('id', 'desc')
    .limit(max)
    .$narrowType<Conversation>();
  return contactId === undefined
    ? query.where('visitorId', '=', visitorId).where('contactId', 'is', null).execute()
    : query.where('contactId', '=', contactId).execute();
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
  channel: Conversation['channel'];
  language: string;
  /** null: not counted. */
  outcome: OutcomeColumns['outcome'];
  createdAt: Date;
  expiresAt: Date;
}
export const insert = (tx: Tx, row: NewConversation) =>
  prepared(tx)
    .insertInto('conversations')
    .values(row)
    .returning(conversationColumns)
    .$narrowType<Conversation>()
    .executeTakeFirstOrThrow();

interface VisitorInput {
  id: string;
  botId: string;
  environmentId: string;
  label: string;
  /** Entered before the chat; null keeps what is stored. */
  name: string | null;
  email: string | null;
  tokensAfter: Date;
}
/** Locks the visitor until the commit, so that two concurrent first messages start one conversation. */
export const upsertVisitor = (tx: Tx, visitor: VisitorInput) =>
  prepared(tx)
    .insertInto('visitors')
    .values(visitor)
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'id']).doUpdateSet((eb) => ({
        lastSeenAt: new Date(),
        tokensAfter: eb.fn('greatest', ['visitors.tokensAfter', 'excluded.tokensAfter']),
        name: eb.fn.coalesce('excluded.name', 'visitors.name'),
        email: eb.fn.coalesce('excluded.email', 'visitors.email'),
      })),
    )
    .returning('contactId')
    .executeTakeFirstOrThrow();

export const findVisitor = (tx: Tx, id: string) =>
  tx
    .selectFrom('visitors')
    .select(['id', 'botId', 'environmentId', 'label', 'name', 'email', 'tokensAfter', 'contactId', 'createdAt'])
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
/** Sets the timer that recovers the turn if Restate loses it: both or neither, in one round trip. */
export const insertTurn = (tx: Tx, { conversationId, id, seq, messageId, replyId }: NewTurn, timer: Timer) =>
  sql`with turn as (
      insert into turns (conversation_id, id, seq, message_id, reply_id)
      values (${conversationId}, ${id}, ${seq}, ${messageId}, ${replyId}))
    select directory.set_timer(${timer.kind}, ${timer.subjectId}, ${timer.dueAt})`.execute(prepared(tx));

interface Timer {
  kind: string;
  subjectId: string;
  dueAt: Date;
}

export const findTurn = (tx: Tx, conversationId: string, by: { id: string } | { messageId: string }) => {
  const [column, value] = Object.entries(by)[0] as ['id' | 'messageId', string];
  return prepared(tx)
    .selectFrom('turns')
    .select(turnColumns)
    .where('conversationId', '=', conversationId)
    .where(column, '=', value)
    .$narrowType<TurnRow>()
    .executeTakeFirst();
};

/** The oldest unfinished turn. */
export const nextOpenTurn = (tx: Tx, conversationId: string) =>
  prepared(tx)
    .selectFrom('turns')
    .select(turnColumns)
    .where('conversationId', '=', conversationId)
    .where('status', 'in', ['queued', 'running'])
    .orderBy('seq')
    .limit(1)
    .$narrowType<TurnRow>()
    .executeTakeFirst();

/** From now on, only this attempt may write results. */
export const claimTurn = (tx: Tx, conversationId: string, id: string, attempt: string) =>
  prepared(tx)
    .updateTable('turns')
    .set({ attempt })
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .returning(turnColumns)
    .$narrowType<TurnRow>()
    .executeTakeFirst();

export const findRunningTurn = async (tx: Tx, conversationId: string): Promise<string | undefined> =>
  (
    await prepared(tx)
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
/** Ends a turn and clears its timer. */
export const endTurn = (tx: Tx, conversationId: string, id: string, change: TurnChange, timer: Omit<Timer, 'dueAt'>) =>
  sql`with turn as (${tx
    .updateTable('turns')
    .set(change)
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .returning('id')}) select directory.clear_timer(${timer.kind}, ${timer.subjectId})`.execute(prepared(tx));

export const updateTurn = (tx: Tx, conversationId: string, id: string, change: TurnChange) =>
  prepared(tx)
    .updateTable('turns')
    .set(change)
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .execute();
