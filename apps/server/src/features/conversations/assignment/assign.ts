import type { Context } from '../../../platform/context.ts';
import { conflict, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { chooseAgent, noteAssigned } from '../../agents/index.ts';
import { hasMemberPermission } from '../../members/index.ts';
import { findTeam } from '../../teams/index.ts';
import type { Conversation, State } from '../conversations.contract.ts';
import * as conversations from '../conversations.store.ts';
import { append, type Entry } from '../log/log.store.ts';
import { eventContext } from '../visitor/accept.ts';
import type { AssignConversation } from './assignment.contract.ts';
import * as events from './assignment.events.ts';
import { findSettingsOfBot } from './assignment.store.ts';
import { manual } from './settings.service.ts';

export const waitingTimer = 'waiting'; // stored: renaming it abandons the time limits of waiting conversations

/** Starts the time limits of a conversation that waits in its new state, and ends those of one that waited until now. */
export async function changeTimer(ctx: Context, { id, state, isTest }: Conversation, next: State): Promise<void> {
  if (next === 'waiting_human' && !isTest) await setTimer(ctx, waitingTimer, id, ctx.now);
  else if (state === 'waiting_human') await clearTimer(ctx, waitingTimer, id);
}

type Assignment = Pick<Conversation, 'assigneeId' | 'teamId'>;

/**
 * Assigns a conversation that starts to wait for an agent, as the workspace's settings say, and starts its time limits. It
 * keeps waiting until an agent claims it. The caller has locked it.
 */
export async function assignWaiting(ctx: Context, conversation: Conversation): Promise<void> {
  if (conversation.isTest) return;
  const { mode, maxOpen, teamId: usualTeam } = (await findSettingsOfBot(ctx.tx, conversation.botId)) ?? manual;
  const teamId = conversation.teamId ?? usualTeam;
  const chosen =
    mode === 'round_robin' && conversation.assigneeId === null
      ? await chooseAgent(ctx, { teamId, maxOpen })
      : undefined;
  await saveAssignment(ctx, conversation, { teamId, assigneeId: chosen ?? conversation.assigneeId });
  await changeTimer(ctx, conversation, 'waiting_human');
}

/** Writes who is responsible, and publishes it if it has changed. */
export async function saveAssignment(ctx: Context, conversation: Conversation, to: Assignment): Promise<Conversation> {
  const { assigneeId, teamId } = to;
  if (assigneeId === conversation.assigneeId && teamId === conversation.teamId) return conversation;
  const entry: Entry = { type: 'conversation.assigned', payload: to, isInternal: true };
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry], { assigneeId, teamId });
  const object = { ...conversation, assigneeId, teamId, lastSeq };
  const isUnassigned = assigneeId === null && (teamId === null || teamId === conversation.teamId);
  const event = isUnassigned ? events.conversationUnassigned : events.conversationAssigned;
  await emit(ctx, event, conversation.id, { object }, eventContext(object, lastSeq));
  return object;
}

/**
 * Changes who is responsible. While the bot replies or the visitor waits, the state stays as it is: the assignee still has to
 * claim it. A claimed conversation that no one is assigned to any more waits again, because no one could reply to it.
 */
export async function assignConversation(ctx: Context, id: string, input: AssignConversation) {
  const conversation = orNotFound('conversation', await conversations.lock(ctx.tx, id));
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const { assigneeId = conversation.assigneeId, teamId = conversation.teamId } = input;
  if (input.assigneeId && !(await hasMemberPermission(ctx, input.assigneeId, 'conversation.reply')))
    throw notFound('member');
  if (input.teamId) orNotFound('team', await findTeam(ctx.tx, input.teamId));
  const isReleased = conversation.state === 'human' && assigneeId === null;
  const before = isReleased ? await waitAgain(ctx, conversation) : conversation;
  if (input.note !== undefined) await addNote(ctx, id, input.note);
  const assigned = await saveAssignment(ctx, before, { assigneeId, teamId });
  if (assigneeId !== null && assigneeId !== conversation.assigneeId) await noteAssigned(ctx.tx, assigneeId, ctx.now);
  return { conversation: orNotFound('conversation', await conversations.find(ctx.tx, assigned.id)) };
}

/** In the same transaction: the next agent never misses it. */
async function addNote(ctx: Context, id: string, text: string): Promise<void> {
  const agent = { id: ctx.actor.id, name: ctx.profile?.name ?? '' };
  const payload = { role: 'agent', text, agent };
  await append(ctx, id, [{ type: 'note.created', messageId: newId('message'), payload, isInternal: true }]);
}

async function waitAgain<C extends Conversation>(ctx: Context, conversation: C): Promise<C> {
  const head = { state: 'waiting_human' as const, waitingSince: ctx.now };
  const entry: Entry = { type: 'conversation.updated', payload: { state: head.state } };
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry], head);
  await changeTimer(ctx, conversation, head.state);
  return { ...conversation, ...head, lastSeq };
}
