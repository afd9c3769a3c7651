import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import { isTenantActive } from '../tenants/index.ts';
import type { OutcomeColumns } from '../usage/index.ts';
import type { Conversation, State, Turn } from './conversations.contract.ts';
import { noteLastSeq } from './log/known-sequences.ts';

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
export const lock = async (tx: Tx, id: string): Promise<LockedConversation | undefined> =>
  noted(tx, await selectLocked(tx, id).executeTakeFirst());
/** For starting a turn: includes whether the tenant is active. */
export const lockForTurn = async (tx: Tx, id: string) =>
  noted(
    tx,
    await selectLocked(tx, id)
      .select(isTenantActive.as('isTenantActive'))
      .$narrowType<LockedConversation & { isTenantActive: boolean }>()
      .executeTakeFirst(),
  );

/** From now on, `append` knows its sequence numbers. */
function noted<C extends { id: string; lastSeq: number } | undefined>(tx: Tx, conversation: C): C {
  if (conversation) noteLastSeq(tx, conversation.id, conversation.lastSeq);
  return conversation;
}

const selectLocked = (tx: Tx, id: string) =>
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

/** The conversation of a run of an action. */
export const lockOfRun = async (tx: Tx, runId: string) =>
  noted(
    tx,
    await prepared(tx)
      .selectFrom('conversations')
      .select(['id', 'lastSeq', 'visitorId', 'contactId'])
      .where('id', '=', (eb) => eb.selectFrom('actionRuns').select('conversationId').where('id', '=', runId))
      .forNoKeyUpdate()
      .executeTakeFirst(),
  );

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
export const lockNewestOwned = async (tx: Tx, owner: Owner, max: number): Promise<Conversation[]> => {
  const conversations = await owned(tx, owner).orderBy('id', 'desc').limit(max).forNoKeyUpdate().execute();
  return conversations.map((conversation) => noted(tx, conversation));
};

/** For a condition: the ids of these conversations. */
export const newestOwnedIds = (tx: Tx, owner: Owner, max: number) =>
  owned(tx, owner).clearSelect().select('id').orderBy('id', 'desc').limit(max);

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
export const insert = (tx: Tx, row: NewConversation) => {
  noteLastSeq(tx, row.id, 0);
  return prepared(tx)
    .insertInto('conversations')
    .values(row)
    .returning(conversationColumns)
    .$narrowType<Conversation>()
    .executeTakeFirstOrThrow();
};

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

const turnColumns = (conversationId: string) =>
  [
    'id',
    'seq',
    'messageId',
    'replyId',
    'status',
    'mode',
    'reason',
    'stopRequested',
    'attempt',
    'traceparent',
    'createdAt',
    // The conversation is given, so that only its partition is read.
    sql<Question | null>`(select payload from conversation_events as message
      where message.conversation_id = ${conversationId} and message.message_id = turns.message_id)`.as('question'),
  ] as const;
interface Question {
  text?: string;
  /** Of the page it was asked on. */
  language?: string;
}
export type TurnRow = Turn & {
  seq: number;
  messageId: string;
  replyId: Id<'message'>;
  stopRequested: boolean;
  attempt: string | null;
  /** Of the request that brought the message. */
  traceparent: string | null;
  createdAt: Date;
  /** null once it was erased. */
  question: Question | null;
};

/** The question of a turn. */
export const questionOf = ({ question }: TurnRow) => ({ text: question?.text ?? '', language: question?.language });

interface NewTurn {
  conversationId: string;
  id: Id<'turn'>;
  seq: number;
  messageId: string;
  replyId: Id<'message'>;
  traceparent: string | null;
}
/** Sets the timer that recovers the turn if Restate loses it: both or neither, in one round trip. */
export const insertTurn = (
  tx: Tx,
  { conversationId, id, seq, messageId, replyId, traceparent }: NewTurn,
  timer: Timer,
) =>
  sql`with turn as (
      insert into turns (conversation_id, id, seq, message_id, reply_id, traceparent)
      values (${conversationId}, ${id}, ${seq}, ${messageId}, ${replyId}, ${traceparent}))
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
    .select(turnColumns(conversationId))
    .where('conversationId', '=', conversationId)
    .where(column, '=', value)
    .$narrowType<TurnRow>()
    .executeTakeFirst();
};

/** The oldest unfinished turn. */
export const nextOpenTurn = (tx: Tx, conversationId: string) =>
  prepared(tx)
    .selectFrom('turns')
    .select(turnColumns(conversationId))
    .where('conversationId', '=', conversationId)
    .where('status', 'in', ['queued', 'running'])
    .orderBy('seq')
    .limit(1)
    .$narrowType<TurnRow>()
    .executeTakeFirst();

/** From now on, only this attempt may write the result of this step. undefined if it has been written. */
export const claimTurn = (tx: Tx, conversationId: string, id: string, { step, attempt }: Claim) =>
  prepared(tx)
    .updateTable('turns')
    .set({ attempt })
    .where('conversationId', '=', conversationId)
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('turnSteps')
            .select('name')
            .where('conversationId', '=', conversationId)
            .where('turnId', '=', id)
            .where('name', '=', step),
        ),
      ),
    )
    .returning(turnColumns(conversationId))
    .$narrowType<TurnRow>()
    .executeTakeFirst();

interface Claim {
  step: string;
  attempt: string;
}

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
