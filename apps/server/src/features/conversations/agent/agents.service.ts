import type { Context } from '../../../platform/context.ts';
import { conflict, forbidden, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { noteAssigned } from '../../agents/index.ts';
import { findContact } from '../../contacts/index.ts';
import { hasMemberPermission } from '../../members/index.ts';
import { changeOutcome, countFor, countHandoff, countOutcome } from '../../usage/index.ts';
import { changeTimer, waitingSinceOf } from '../assignment/waiting-timer.ts';
import { eventContext } from '../visitor/accept.ts';
import type { Conversation, ListConversations, State } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { findRow, list } from './list.store.ts';
import { withPeople } from '../inbox/people.store.ts';
import { append, findMessage, messagesBefore, toMessage, type Entry, type MessageBody } from '../log/log.store.ts';
import { queueReplyEmail } from '../reply-email/reply-email.ts';
import { cancelRuns } from '../turn/action-runs.ts';
import { endOpenTurns } from '../turn/turn-ends.ts';
import { messagePage } from '../visitor/visitor.service.ts';

const read = async ({ tx }: Context, id: string) => orNotFound('conversation', await store.find(tx, id));
const lock = async ({ tx }: Context, id: string) => orNotFound('conversation', await store.lock(tx, id));

export async function listConversations({ tx, actor }: Context, query: ListConversations) {
  const filter = query.assigneeId === 'me' ? { ...query, assigneeId: actor.id } : query;
  const page = toPage(await list(tx, filter, readCursor(filter.cursor), filter.limit + 1), filter.limit);
  return { ...page, data: await withPeople(tx, page.data) };
}

/** With the contact and the visitor, which lists leave out. */
export async function getConversation(ctx: Context, id: string) {
  const { tx } = ctx;
  const [conversation] = await withPeople(tx, [orNotFound('conversation', await findRow(tx, id))]);
  const { contactId, visitorId, assignee } = conversation!;
  return {
    conversation: conversation!,
    contact: contactId === null ? null : ((await findContact(tx, contactId)) ?? null),
    visitor: visitorId === null ? null : ((await store.findVisitor(tx, visitorId)) ?? null),
    assignee,
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

export const agentOf = ({ actor, profile }: Context) => ({ id: actor.id, name: profile?.name ?? '' });

/** Changes the state and logs it, with who did it. */
export async function changeState(
  ctx: Context,
  conversation: Conversation,
  state: State,
  update: Parameters<typeof append>[3] = {},
  details: object = { agent: agentOf(ctx) },
): Promise<Conversation> {
  const entry: Entry = { type: 'conversation.updated', payload: { state, ...details } };
  await append(ctx, conversation.id, [entry], { state, ...update });
  const { waitingSince = conversation.waitingSince } = update;
  await changeTimer(ctx, conversation, waitingSince);
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
  const outcome = changeOutcome(conversation, { agentJoinedAt: conversation.agentJoinedAt ?? ctx.now });
  const stillWaits = conversation.state === 'human' ? conversation.waitingSince : null;
  const claimed = await changeState(ctx, conversation, 'human', {
    assigneeId,
    // A colleague may not be there, so the visitor waits until they reply.
    waitingSince: assigneeId === ctx.actor.id ? stillWaits : waitingSinceOf(conversation, ctx.now),
    snoozedUntil: null,
    isHandedOff: true,
    ...outcome.columns,
  });
  await countHandoff(ctx, conversation);
  await countOutcome(ctx, conversation, outcome);
  await noteAssigned(ctx.tx, assigneeId, ctx.now);
  await emit(ctx, events.handoffAccepted, id, { object: claimed }, eventContext(claimed, claimed.lastSeq));
  return { conversation: claimed };
}

export async function assertMayAssign(ctx: Context, assignee: string) {
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
  const entry = { payload, clientMessageId, type: 'message.created' };
  const message = await writeAsAgent(ctx, conversation, entry);
  await emit(ctx, events.messageCreated, message.id, { object: message }, eventContext(conversation, message.seq));
  await queueReplyEmail(ctx, id, message.seq);
  return { message };
}

/** Sends a message from a tenant's system in an agent's name, regardless of the assignee. */
export async function sendAsAgent(ctx: Context, id: string, { text, name }: { text: string; name: string }) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const payload: MessageBody = { role: 'agent', text, agent: { id: ctx.actor.id, name } };
  const message = await writeAsAgent(ctx, conversation, { payload, type: 'message.created' });
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

/**
 * The visitor of a claimed conversation no longer waits, unless it is snoozed: then it returns when the snooze ends. The first
 * message of an agent, and the first after a handoff request, are part of the figures.
 */
async function writeAsAgent(ctx: Context, conversation: store.LockedConversation, entry: Omit<Entry, 'messageId'>) {
  const { agentJoinedAt, agentRepliedAt, handoffRequestedAt } = conversation;
  const outcome = changeOutcome(conversation, {
    agentJoinedAt: agentJoinedAt ?? ctx.now,
    agentRepliedAt: agentRepliedAt ?? (handoffRequestedAt && ctx.now),
  });
  const isSnoozed = conversation.snoozedUntil !== null && conversation.snoozedUntil > ctx.now;
  const waitingSince = conversation.state === 'human' && !isSnoozed ? null : conversation.waitingSince;
  const message = await write(ctx, conversation.id, entry, { waitingSince, ...outcome.columns });
  await changeTimer(ctx, conversation, waitingSince);
  await countOutcome(ctx, conversation, outcome);
  return message;
}

async function write(
  ctx: Context,
  id: string,
  entry: Omit<Entry, 'messageId'>,
  update: Parameters<typeof append>[3] = {},
) {
  const messageId = newId('message');
  const [seq = 0] = await append(ctx, id, [{ ...entry, messageId }], update);
  const message = toMessage({ ...entry, seq, messageId, createdAt: ctx.now });
  if (!message) throw new Error('message has no id');
  return message;
}

/** Returns the conversation to the bot. */
export async function handBack(ctx: Context, id: string) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'bot') return { conversation };
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const handedBack = await changeState(ctx, conversation, 'bot', {
    assigneeId: null,
    waitingSince: null,
    snoozedUntil: null,
  });
  await emit(ctx, events.reopened, id, { object: handedBack }, eventContext(handedBack, handedBack.lastSeq));
  return { conversation: handedBack };
}

export async function close(ctx: Context, id: string) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') return { conversation };
  const unanswered = await endOpenTurns(ctx, id, 'closed');
  await cancelRuns(ctx, id, 'conversation_closed');
  const isAnswered = unanswered > 0 ? false : conversation.isAnswered;
  const outcome = changeOutcome(conversation, { isAnswered, closedAt: ctx.now });
  const closed = await changeState(ctx, conversation, 'closed', {
    closedFrom: conversation.state,
    closedWaitingSince: conversation.waitingSince,
    closedSnoozedUntil: conversation.snoozedUntil,
    waitingSince: null,
    snoozedUntil: null,
    ...outcome.columns,
  });
  await countFor(ctx, conversation, { closed: 1 });
  await countOutcome(ctx, conversation, outcome);
  await emit(ctx, events.conversationResolved, id, { object: closed }, eventContext(closed, closed.lastSeq));
  return { conversation: closed };
}
