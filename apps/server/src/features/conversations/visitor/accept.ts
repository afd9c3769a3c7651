import type { Context, VisitorSession } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import type { Entitlements } from '../../entitlements/index.ts';
import { findDeployment } from '../../bots/index.ts';
import { countMessage } from '../../usage/index.ts';
import type { Conversation, Message, SendMessage } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { seeContact } from './contacts.store.ts';
import { append, findMessage, toMessage } from '../log/log.store.ts';

export interface Accepted {
  conversationId: Conversation['id'];
  message: Message;
  /** null while a person is to answer. */
  turnId: `turn_${string}` | null;
  /** It came before, and was accepted then. */
  isRepeat: boolean;
}

/** After so long, what is said next begins a new conversation, on the version of that day. */
const staleMs = 24 * 3_600_000;
/** How long an older visitor token goes on after a newer one was used: two tabs, or an answer that was lost. */
const tokenGraceMs = 5 * 60_000;
/** If the engine lost the call, the sweeper makes it again after this. */
const overdueMs = 30_000;

export const turnTimer = 'turn';
export const turnSubject = (conversationId: string, turnId: string) => `${conversationId}/${turnId}`;

export const ownerOf = ({ botId, environmentId, visitorId, contact }: VisitorSession): store.Owner => ({
  botId,
  environmentId,
  visitorId,
  contactId: contact?.id,
});

/** The caller that a visitor is, for what they may do: their own conversation, and nothing else. */
export const asVisitor = ({ tenantId, visitorId, contact }: VisitorSession, requestId?: string) => ({
  tenantId,
  actor: contact ? ({ type: 'contact', id: contact.id } as const) : ({ type: 'visitor', id: visitorId } as const),
  permissions: new Set<never>(),
  ...(requestId !== undefined && { requestId }),
});

/**
 * A visitor's message, its turn and the event that tells of it, in one transaction. Once it is committed it will be
 * answered, whatever dies. The same `clientMessageId` again changes nothing and finds the first.
 */
export async function acceptMessage(
  ctx: Context,
  session: VisitorSession,
  { message: text, clientMessageId, context }: Omit<SendMessage, 'sessionToken'>,
  entitlements: Entitlements,
): Promise<Accepted> {
  const { tx, now } = ctx;
  const tellMet = await meet(ctx, session);
  const recent = await store.newestOwned(tx, ownerOf(session), clientMessageId === undefined ? 1 : maxRecent);
  const first = clientMessageId === undefined ? undefined : await findSent(ctx, recent, clientMessageId);
  if (first) {
    await tellMet();
    return { ...first, isRepeat: true };
  }
  const [newest] = recent;
  const goesOn = newest && newest.state !== 'closed' && now.getTime() - newest.lastMessageAt.getTime() < staleMs;
  // Somebody who tries a draft is no visitor: neither the plan nor the figures count them.
  const count = async () => {
    if (!session.versionId) await countMessage(ctx, session.botId, entitlements, { startsConversation: !goesOn });
    await tellMet(); // after what is counted is locked, as turns do: else the two could wait for each other
  };
  if (!goesOn) await count();
  const conversation = goesOn ? newest : await begin(ctx, session, context?.pageUrl ?? null);
  const conversationId = conversation.id;
  const messageId = newId('message');
  const turnId = conversation.state === 'bot' ? newId('turn') : null;
  const body = {
    role: 'visitor',
    text,
    ...(context?.language !== undefined && { language: context.language }),
  } as const;
  const [seq = 0] = await append(ctx, conversationId, [
    { type: 'message.created', messageId, clientMessageId, payload: body, ...(turnId && { turnId }) },
  ]);
  if (goesOn) await count(); // the conversation is locked first, as by turns: else the two could wait for each other
  if (turnId) {
    const turn = { conversationId, id: turnId, seq, messageId, replyId: newId('message') };
    const dueAt = new Date(now.getTime() + overdueMs);
    await store.insertTurn(tx, turn, { kind: turnTimer, subjectId: turnSubject(conversationId, turnId), dueAt });
  }
  const message = toMessage({ seq, type: '', messageId, turnId, clientMessageId, payload: body, createdAt: now });
  if (!message) throw new Error('a message without an id');
  await emit(ctx, events.messageCreated, messageId, { object: message }, about(conversation, seq));
  return { conversationId, message, turnId, isRepeat: false };
}

/** How many conversations back a message that is sent again is looked for: a phone may have been off for a while. */
const maxRecent = 5;

async function findSent({ tx }: Context, recent: readonly Conversation[], clientMessageId: string) {
  for (const { id: conversationId } of recent) {
    const message = await findMessage(tx, conversationId, { clientMessageId });
    if (message) return { conversationId, message, turnId: message.turnId };
  }
  return undefined;
}

/** What events of a conversation are about. */
export const about = (
  { id, environmentId, botId }: Pick<Conversation, 'id' | 'environmentId' | 'botId'>,
  sequence: number,
) => ({
  environmentId,
  botId,
  conversationId: id,
  sequence,
});

/** The visitor, and the contact they are, are written with their first message, and locked until the commit. What is new is told later. */
async function meet(ctx: Context, session: VisitorSession): Promise<() => Promise<void>> {
  const { botId, environmentId, visitorId, label, contact, startedAt } = session;
  const tokensAfter = new Date(startedAt.getTime() - tokenGraceMs);
  await store.seeVisitor(ctx.tx, { id: visitorId, botId, environmentId, label, tokensAfter });
  if (!contact) return async () => {};
  const seen = { id: contact.id, environmentId, externalUserId: contact.externalUserId, email: contact.email };
  const news = await seeContact(ctx.tx, seen);
  if (news === 'none') return async () => {};
  const event = news === 'created' ? events.contactCreated : events.contactUpdated;
  return () => emit(ctx, event, contact.id, { object: seen }, { environmentId, botId });
}

async function begin(ctx: Context, session: VisitorSession, pageUrl: string | null): Promise<Conversation> {
  const { botId, environmentId, visitorId, contact, versionId } = session;
  // Asked of the rows, not of what is remembered: a roll-back holds for whoever begins after it.
  const version = versionId ?? (await findDeployment(ctx.tx, botId, environmentId))?.versionId;
  if (!version) throw conflict('bot_not_published', 'The bot has no version deployed in this environment.');
  const conversation = await store.insert(ctx.tx, {
    id: newId('conversation'),
    environmentId,
    botId,
    versionId: version,
    visitorId,
    contactId: contact?.id ?? null,
    isTest: versionId !== undefined,
    pageUrl,
    expiresAt: new Date(ctx.now.getTime() + 86_400_000), // until the first message sets the bot's own
  });
  await emit(ctx, events.conversationCreated, conversation.id, { object: conversation }, about(conversation, 0));
  return conversation;
}
