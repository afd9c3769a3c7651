import type { Context } from '../../../platform/context.ts';
import { conflict, forbidden, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { findMember, hasMemberPermission } from '../../members/index.ts';
import { countFor, countHandoff } from '../../usage/index.ts';
import { eventContext } from '../visitor/accept.ts';
import type { Conversation, ListConversations, State } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import { findContact } from '../visitor/contacts.store.ts';
import * as store from '../conversations.store.ts';
import { list } from './list.store.ts';
import { append, findMessage, messagesBefore, toMessage, type Entry, type MessageBody } from '../log/log.store.ts';
import { queueReplyEmail } from '../reply-email/reply-email.ts';
import { cancelRuns } from '../turn/action-runs.ts';
import { endOpenTurns } from '../turn/turn-ends.ts';
import { messagePage } from '../visitor/visitor.service.ts';

const read = async ({ tx }: Context, id: string) => orNotFound('conversation', await store.find(tx, id));
const lock = async ({ tx }: Context, id: string) => orNotFound('conversation', await store.lock(tx, id));

export async function listConversations({ tx }: Context, filter: ListConversations) {
  return toPage(await list(tx, filter, readCursor(filter.cursor), filter.limit + 1), filter.limit);
}

/** With the contact, the visitor and the assignee, which lists leave out. */
export async function getConversation(ctx: Context, id: string) {
  const conversation = await read(ctx, id);
  const { contactId, visitorId, assigneeId } = conversation;
  const { tx } = ctx;
  return {
    conversation,
    contact: contactId === null ? null : ((await findContact(tx, contactId)) ?? null),
    visitor: visitorId === null ? null : ((await store.findVisitor(tx, visitorId)) ?? null),
    // Former members and API keys have no name.
    assignee: assigneeId === null ? null : { id: assigneeId, name: (await findMember(ctx, assigneeId))?.name ?? '' },
  };
}

export async function listMessages(
  ctx: Context,
  id: string,
  { before, limit }: { before?: number | undefined; limit: number },
) {
  await read(ctx, id);
  return messagePage(await messagesBefore(ctx.tx, id, { before, max: limit + 1, withInternal: true }), limit);
}

const agentOf = ({ actor, profile }: Context) => ({ id: actor.id, name: profile?.name ?? '' });

/** Changes the state and logs it. */
async function changeState(
  ctx: Context,
  conversation: Conversation,
  state: State,
  update: Parameters<typeof append>[3] = {},
): Promise<Conversation> {
  const entry: Entry = { type: 'conversation.updated', payload: { state, agent: agentOf(ctx) } };
  await append(ctx, conversation.id, [entry], { state, ...update });
  return read(ctx, conversation.id);
}

/**
 * Claims the conversation, or assigns it to a colleague. The bot stops replying until it is handed back. Of two concurrent
 * claims, one wins. Taking it over from another agent is an assignment, which needs the permission to assign.
 */
export async function claim(ctx: Context, id: string, assignee: string | undefined) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  if (assignee !== undefined) await assertMayAssign(ctx, assignee);
  const assigneeId = assignee ?? ctx.actor.id;
  const isAssigned = conversation.state === 'human' && conversation.assigneeId === assigneeId;
  if (isAssigned) return { conversation };
  if (assignee === undefined && conversation.state === 'human')
    throw conflict('claimed_by_another', 'Someone else has claimed this conversation.');
  await endOpenTurns(ctx, id, 'handed_off');
  const claimed = await changeState(ctx, conversation, 'human', {
    assigneeId,
    waitingSince: null,
    isHandedOff: true,
    isUnresolved: true,
  });
  await countHandoff(ctx, conversation);
  await emit(ctx, events.handoffAccepted, id, { object: claimed }, eventContext(claimed, claimed.lastSeq));
  return { conversation: claimed };
}

async function assertMayAssign(ctx: Context, assignee: string) {
  if (!ctx.permissions.has('conversation.assign'))
    throw forbidden(
      'permission_missing',
      "You need the permission 'conversation.assign' to assign a conversation to someone else.",
    );
  if (!(await hasMemberPermission(ctx, assignee, 'conversation.reply'))) throw notFound('member');
}

export async function reply(
  ctx: Context,
  id: string,
  { text, clientMessageId }: { text: string; clientMessageId?: string | undefined },
) {
  const conversation = await lock(ctx, id);
  if (clientMessageId !== undefined) {
    const first = await findMessage(ctx.tx, id, { clientMessageId });
    if (first) return { message: first };
  }
  if (conversation.state !== 'human' || conversation.assigneeId !== ctx.actor.id)
    throw conflict('not_claimed', 'Claim the conversation before you reply.');
  const payload: MessageBody = { role: 'agent', text, agent: agentOf(ctx) };
  const message = await write(ctx, id, { payload, clientMessageId, type: 'message.created' });
  await emit(ctx, events.messageCreated, message.id, { object: message }, eventContext(conversation, message.seq));
  await queueReplyEmail(ctx, id, message.seq);
  return { message };
}

/** Sends a message from a tenant's system in an agent's name, regardless of the assignee. */
export async function sendAsAgent(ctx: Context, id: string, { text, name }: { text: string; name: string }) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const payload: MessageBody = { role: 'agent', text, agent: { id: ctx.actor.id, name } };
  const message = await write(ctx, id, { payload, type: 'message.created' });
  await emit(ctx, events.messageCreated, message.id, { object: message }, eventContext(conversation, message.seq));
  await queueReplyEmail(ctx, id, message.seq);
  return message;
}

/** Internal: never shown to the visitor. */
export async function note(ctx: Context, id: string, text: string) {
  await lock(ctx, id);
  const payload: MessageBody = { role: 'agent', text, agent: agentOf(ctx) };
  return { message: await write(ctx, id, { payload, type: 'note.created', isInternal: true }) };
}

async function write(ctx: Context, id: string, entry: Omit<Entry, 'messageId'>) {
  const messageId = newId('message');
  const [seq = 0] = await append(ctx, id, [{ ...entry, messageId }]);
  const message = toMessage({ ...entry, seq, messageId, createdAt: ctx.now });
  if (!message) throw new Error('message has no id');
  return message;
}

/** Returns the conversation to the bot. */
export async function handBack(ctx: Context, id: string) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'bot') return { conversation };
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const handedBack = await changeState(ctx, conversation, 'bot', { assigneeId: null, waitingSince: null });
  await emit(ctx, events.handedBack, id, { object: handedBack }, eventContext(handedBack, handedBack.lastSeq));
  return { conversation: handedBack };
}

export async function close(ctx: Context, id: string) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') return { conversation };
  await endOpenTurns(ctx, id, 'closed');
  await cancelRuns(ctx, id, 'conversation_closed');
  const closed = await changeState(ctx, conversation, 'closed', { closedAt: ctx.now, waitingSince: null });
  await countFor(ctx, conversation, { closed: 1 });
  await emit(ctx, events.conversationResolved, id, { object: closed }, eventContext(closed, closed.lastSeq));
  return { conversation: closed };
}
