import type { Context, RequestInfo, VisitorSession } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { conflict, unauthorized } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import type { Entitlements } from '../../entitlements/index.ts';
import { findDeployment } from '../../bots/index.ts';
import { recordContact } from '../../contacts/index.ts';
import { countMessage, countStart, languageOf, newOutcome, noteReturn } from '../../usage/index.ts';
import { changeTimer, waitingSinceOf } from '../assignment/waiting-timer.ts';
import type { Conversation, Message, SendMessage } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { append, findSent, toMessage, type Entry } from '../log/log.store.ts';

export interface AcceptedMessage {
  conversationId: Conversation['id'];
  message: Message;
  /** null while an agent has the conversation. */
  turnId: `turn_${string}` | null;
  /** It was already accepted earlier. */
  isRepeat: boolean;
}

/** After this long, the next message starts a new conversation, on the version deployed then. */
const staleMs = 24 * 3_600_000;
/** How long an older visitor token stays valid after a newer one was used: for two tabs, or a lost response. */
const tokenGraceMs = 5 * 60_000;
/** If Restate lost the call, the sweeper repeats it after this. */
const overdueMs = 30_000;

export const turnTimer = 'turn';
export const turnSubject = (conversationId: string, turnId: string) => `${conversationId}/${turnId}`;

export const ownerOf = ({ botId, environmentId, visitorId, contact }: VisitorSession): store.Owner => ({
  botId,
  environmentId,
  visitorId,
  contactId: contact?.id,
});

/** A visitor as a caller: no permissions beyond their own conversation. */
export const asVisitor = (
  { tenantId, visitorId, contact }: VisitorSession,
  requestInfo?: Pick<RequestInfo, 'requestId' | 'traceparent'>,
) => ({
  tenantId,
  actor: contact ? ({ type: 'contact', id: contact.id } as const) : ({ type: 'visitor', id: visitorId } as const),
  permissions: new Set<never>(),
  ...(requestInfo && { requestId: requestInfo.requestId }),
  ...(requestInfo?.traceparent && { traceparent: requestInfo.traceparent }),
});

/**
 * Writes a visitor's message, its turn and its event in one transaction. Once committed it will be answered, whatever
 * process crashes. Repeating the same `clientMessageId` changes nothing and returns the first message.
 */
export async function acceptMessage(
  ctx: Context,
  session: VisitorSession,
  { message: text, clientMessageId, context }: Omit<SendMessage, 'sessionToken'>,
  entitlements: Entitlements,
): Promise<AcceptedMessage> {
  const { tx, now } = ctx;
  const owner = ownerOf(session);
  const [, [newest], sent, deployment] = await Promise.all([
    recordVisitor(ctx, session, context), // first, because it locks the visitor
    store.lockNewestOwned(tx, owner, clientMessageId === undefined ? 1 : maxRecent),
    clientMessageId === undefined ? undefined : findSent(tx, owner, clientMessageId, maxRecent),
    // From the database, not from a cache, so that a rollback applies to every conversation started after it.
    findDeployment(tx, session.botId, session.environmentId),
  ]);
  if (sent) return { ...sent, turnId: sent.message.turnId, isRepeat: true };
  const continued = newest && newest.state !== 'closed' && isFresh(newest, now) ? newest : undefined;
  const conversation =
    continued ??
    (await startConversation(ctx, session, {
      text,
      ...context,
      previous: newest,
      versionId: session.versionId ?? deployment?.versionId,
      entitlements,
    }));
  const conversationId = conversation.id;
  const messageId = newId('message');
  const turnId = conversation.state === 'bot' ? newId('turn') : null;
  const body = {
    role: 'visitor',
    text,
    ...(context?.language !== undefined && { language: context.language }),
  } as const;
  const pageUrl = context?.pageUrl;
  const isOtherPage = continued !== undefined && pageUrl !== undefined && pageUrl !== conversation.pageUrl;
  const entries: Entry[] = [
    ...(isOtherPage ? [{ type: 'page.visited', payload: { url: pageUrl }, isInternal: true }] : []),
    { type: 'message.created', messageId, clientMessageId, payload: body, ...(turnId && { turnId }) },
  ];
  // Since the request for an agent, or the first message that the agent has not replied to.
  const waitingSince = conversation.state === 'bot' ? null : waitingSinceOf(conversation, now);
  const seqs = await append(ctx, conversationId, entries, { ...(isOtherPage && { pageUrl }), waitingSince });
  const seq = seqs.at(-1) ?? 0;
  later(ctx.tx, changeTimer(ctx, conversation, waitingSince));
  if (turnId) {
    const { traceparent = null } = ctx;
    const turn = { conversationId, id: turnId, seq, messageId, replyId: newId('message'), traceparent };
    const dueAt = new Date(now.getTime() + overdueMs);
    later(tx, store.insertTurn(tx, turn, { kind: turnTimer, subjectId: turnSubject(conversationId, turnId), dueAt }));
  }
  // After the lock of the conversation, as in turns, to avoid a deadlock.
  if (continued) await count(ctx, session, entitlements, { startsConversation: false });
  const message = toMessage({ seq, type: '', messageId, turnId, clientMessageId, payload: body, createdAt: now });
  if (!message) throw new Error('message has no id');
  await emit(ctx, events.messageCreated, messageId, { object: message }, eventContext(conversation, seq));
  if (conversation.snoozedUntil && conversation.snoozedUntil > now) {
    const object = { ...conversation, waitingSince, snoozedUntil: null, lastSeq: seq };
    await emit(ctx, events.conversationSnoozed, conversationId, { object }, eventContext(object, seq));
  }
  ctx.afterCommit(() => ctx.countActivity('messages', ctx.tenantId));
  return { conversationId, message, turnId, isRepeat: false };
}

/** Number of conversations searched for a repeated message: a phone may retry after being off for a while. */
const maxRecent = 5;

/** An agent wants a snoozed one back, however long it was silent. */
const isFresh = ({ snoozedUntil, lastMessageAt }: Conversation, now: Date) =>
  snoozedUntil !== null || now.getTime() - lastMessageAt.getTime() < staleMs;

/** Preview sessions count neither against the plan nor in the statistics. */
async function count(
  ctx: Context,
  { versionId, botId }: VisitorSession,
  entitlements: Entitlements,
  options: { startsConversation: boolean },
): Promise<void> {
  if (!versionId) await countMessage(ctx, botId, entitlements, options);
}

/** Context fields for events of a conversation. */
export const eventContext = (
  { id, environmentId, botId }: Pick<Conversation, 'id' | 'environmentId' | 'botId'>,
  sequence: number,
) => ({
  environmentId,
  botId,
  conversationId: id,
  sequence,
});

/** Upserts the visitor and the contact, and locks them until the commit. */
async function recordVisitor(
  ctx: Context,
  session: VisitorSession,
  { name = null, email = null }: Partial<Record<'name' | 'email', string | null | undefined>> = {},
): Promise<void> {
  const { botId, environmentId, visitorId, label, contact, startedAt } = session;
  const tokensAfter = new Date(startedAt.getTime() - tokenGraceMs);
  // The tenant's backend says who a contact is, so what was entered on the page is not stored for them.
  const entered = contact ? { name: null, email: null } : { name, email };
  const row = { id: visitorId, botId, environmentId, label, ...entered, tokensAfter };
  const [visitor] = await Promise.all([
    store.upsertVisitor(ctx.tx, row),
    contact && recordContact(ctx, { ...contact, environmentId }, botId),
  ]);
  // A person who has signed out since must not write as them.
  if (visitor.contactId !== null)
    throw unauthorized('session_ended', 'This visitor has signed in. Open a new session.');
}

interface FirstMessage {
  text: string;
  pageUrl?: string | undefined;
  language?: string | undefined;
  /** The visitor's last conversation. */
  previous: Conversation | undefined;
  versionId: string | undefined;
  entitlements: Entitlements;
}

async function startConversation(
  ctx: Context,
  session: VisitorSession,
  { text, pageUrl, language: ofPage, previous, versionId, entitlements }: FirstMessage,
): Promise<Conversation> {
  const { botId, environmentId, visitorId, contact, origin } = session;
  const isTest = session.versionId !== undefined;
  const language = await languageOf(text, ofPage);
  if (!versionId) throw conflict('bot_not_published', 'The bot has no version deployed in this environment.');
  const [earlier, , conversation] = await Promise.all([
    isTest ? undefined : noteReturn(ctx, previous), // first, because it locks a conversation
    count(ctx, session, entitlements, { startsConversation: true }),
    store.insert(ctx.tx, {
      id: newId('conversation'),
      environmentId,
      botId,
      versionId,
      visitorId,
      contactId: contact?.id ?? null,
      isTest,
      pageUrl: pageUrl ?? null,
      // The widget of a signed-in visitor has a session without an origin, but says on which page it is.
      channel: origin === null && pageUrl === undefined ? 'api' : 'website',
      language,
      outcome: isTest ? null : newOutcome().outcome,
      createdAt: ctx.now, // the day it is counted on
      expiresAt: new Date(ctx.now.getTime() + 86_400_000), // replaced by the bot's retention period with the first message
    }),
  ]);
  if (!isTest) later(ctx.tx, countStart(ctx, conversation, earlier));
  await emit(ctx, events.conversationCreated, conversation.id, { object: conversation }, eventContext(conversation, 0));
  return conversation;
}
