import type { Context } from '../../../platform/context.ts';
import { conflict, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { chooseAgent, listRoom, noteAssigned } from '../../agents/index.ts';
import { hasMemberPermission } from '../../members/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as conversations from '../conversations.store.ts';
import { append, type Entry } from '../log/log.store.ts';
import { eventContext } from '../visitor/accept.ts';
import type { AssignConversation } from './assignment.contract.ts';
import * as events from './assignment.events.ts';
import * as store from './assignment.store.ts';
import { manual } from './settings.service.ts';
import { changeTimer, waitingSinceOf } from './waiting-timer.ts';

type Assignment = Pick<Conversation, 'assigneeId' | 'teamId'>;

/**
 * Assigns a conversation that waits for an agent as the workspace's settings say. It keeps waiting until an agent claims it.
 * The caller has locked it.
 */
export async function assignWaiting(ctx: Context, conversation: Conversation): Promise<Assignment> {
  if (conversation.isTest) return conversation;
  const { mode, maxOpen, teamId: usualTeam } = (await store.findSettingsOfBot(ctx.tx, conversation.botId)) ?? manual;
  const teamId = (await existingTeam(ctx, conversation.teamId)) ?? (await existingTeam(ctx, usualTeam));
  const chosen =
    mode === 'round_robin' && conversation.assigneeId === null
      ? await chooseAgent(ctx, { teamId, maxOpen })
      : undefined;
  return saveAssignment(ctx, conversation, { teamId, assigneeId: chosen ?? conversation.assigneeId });
}

/** null if it was deleted. Otherwise it can't be until the commit. */
export const existingTeam = async <T extends string>({ tx }: Context, teamId: T | null): Promise<T | null> =>
  teamId !== null && (await lockTeam(tx, teamId)) ? teamId : null;

/** Assigns the conversation that has waited longest without an agent, if one has room for it. Returns whether it did. */
export async function assignOldest(ctx: Context): Promise<boolean> {
  if (!(await store.usesRoundRobin(ctx.tx))) return false;
  const agents = await listRoom(ctx);
  const id = agents.length === 0 ? undefined : await store.lockOldestUnassigned(ctx.tx, agents);
  const conversation = id === undefined ? undefined : await conversations.lock(ctx.tx, id);
  return conversation !== undefined && (await assignWaiting(ctx, conversation)).assigneeId !== null;
}

/** Writes who is responsible, and publishes it if it has changed. */
export async function saveAssignment<C extends Conversation>(
  ctx: Context,
  conversation: C,
  to: Assignment,
  head: Pick<Parameters<typeof append>[3] & object, 'waitingSince' | 'snoozedUntil'> = {},
): Promise<C> {
  const { assigneeId, teamId } = to;
  if (assigneeId === conversation.assigneeId && teamId === conversation.teamId) return conversation;
  const entry: Entry = { type: 'conversation.assigned', payload: { assigneeId, teamId }, isInternal: true };
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry], { assigneeId, teamId, ...head });
  const object = { ...conversation, assigneeId, teamId, ...head, lastSeq };
  const isUnassigned = assigneeId === null && (teamId === null || teamId === conversation.teamId);
  const event = isUnassigned ? events.conversationUnassigned : events.conversationAssigned;
  await emit(ctx, event, conversation.id, { object }, eventContext(object, lastSeq));
  return object;
}

/**
 * Changes who is responsible. While the bot replies or the visitor waits, the state stays as it is: the assignee still has to
 * claim it. A claimed conversation that no one is assigned to any more waits again, because no one could reply to it; one
 * that a colleague gets stays claimed, but its visitor waits, because the colleague may not be there.
 */
export async function assignConversation(ctx: Context, id: string, input: AssignConversation) {
  const conversation = orNotFound('conversation', await conversations.lock(ctx.tx, id));
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const { assigneeId = conversation.assigneeId, teamId = conversation.teamId } = input;
  if (input.assigneeId && !(await hasMemberPermission(ctx, input.assigneeId, 'conversation.reply')))
    throw notFound('member');
  if (input.teamId) orNotFound('team', await lockTeam(ctx.tx, input.teamId));
  const isClaimed = conversation.state === 'human';
  const isOther = assigneeId !== conversation.assigneeId;
  const before = isClaimed && assigneeId === null ? await waitAgain(ctx, conversation) : conversation;
  if (input.note !== undefined) await addNote(ctx, id, input.note);
  const isForColleague = isClaimed && isOther && assigneeId !== null && assigneeId !== ctx.actor.id;
  const waitingSince = isForColleague ? waitingSinceOf(conversation, ctx.now) : before.waitingSince;
  const head = isForColleague ? { waitingSince, snoozedUntil: null } : {};
  await saveAssignment(ctx, before, { assigneeId, teamId }, head);
  await changeTimer(ctx, before, waitingSince);
  // Who gives a conversation back is not the next to get one.
  const noted = assigneeId ?? conversation.assigneeId;
  if (isOther && noted !== null) await noteAssigned(ctx.tx, noted, ctx.now);
  return { conversation: orNotFound('conversation', await conversations.find(ctx.tx, id)) };
}

/** Of someone who can't reply any more. Returns whether there may be more. */
export async function releaseSome(ctx: Context, userId: string): Promise<boolean> {
  if (await hasMemberPermission(ctx, userId, 'conversation.reply')) return false;
  const ids = await store.lockAssigned(ctx.tx, userId, releasedAtOnce);
  for (const id of ids) {
    const conversation = orNotFound('conversation', await conversations.lock(ctx.tx, id));
    const { state, teamId } = conversation;
    const before = state === 'human' ? await waitAgain(ctx, conversation) : conversation;
    await saveAssignment(ctx, before, { assigneeId: null, teamId });
  }
  return ids.length === releasedAtOnce;
}
const releasedAtOnce = 50;

/** In the same transaction: the next agent never misses it. */
async function addNote(ctx: Context, id: string, text: string): Promise<void> {
  const agent = { id: ctx.actor.id, name: ctx.profile?.name ?? '' };
  const payload = { role: 'agent', text, agent };
  await append(ctx, id, [{ type: 'note.created', messageId: newId('message'), payload, isInternal: true }]);
}

/** Since the visitor's message that no one has replied to, or from now on. */
export async function waitAgain<C extends Conversation>(ctx: Context, conversation: C): Promise<C> {
  const waitingSince = waitingSinceOf(conversation, ctx.now);
  const head = { state: 'waiting_human' as const, waitingSince, snoozedUntil: null };
  const entry: Entry = { type: 'conversation.updated', payload: { state: head.state } };
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry], head);
  await changeTimer(ctx, conversation, waitingSince);
  return { ...conversation, ...head, lastSeq };
}
