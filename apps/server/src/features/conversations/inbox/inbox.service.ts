import type { Context } from '../../../platform/context.ts';
import { conflict, invalid, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { findMember } from '../../members/index.ts';
import { agentOf, changeState } from '../agent/agents.service.ts';
import { existingTeam } from '../assignment/assign.ts';
import { changeTimer } from '../assignment/waiting-timer.ts';
import type { LogEntry } from '../conversations.contract.ts';
import { changeOutcome, countOutcome } from '../../usage/index.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { notifyInbox, notifyLive } from '../log/live.ts';
import { append, entriesBefore } from '../log/log.store.ts';
import { setTagTokens } from '../search/tokens.store.ts';
import { tagToken } from '../../../platform/search-tokens.ts';
import { eventContext } from '../visitor/accept.ts';
import { markRead } from './inbox.store.ts';

const lock = async ({ tx }: Context, id: string) => orNotFound('conversation', await store.lock(tx, id));

/** Everything that happened, oldest last. */
export async function getTimeline(
  { tx }: Context,
  id: string,
  { before, limit }: { before?: number | undefined; limit: number },
) {
  orNotFound('conversation', await store.find(tx, id));
  const entries = await entriesBefore(tx, id, { before, max: limit + 1 });
  const data: (LogEntry & { isInternal: boolean })[] = entries.slice(0, limit);
  return { data, before: entries.length > limit ? (data.at(-1)?.seq ?? null) : null };
}

/**
 * Undoes closing: the same state, assignee, wait and snooze as before. Not if the visitor has started another conversation
 * since: their next message would go there, and nothing written here would reach them.
 */
export async function reopen(ctx: Context, id: string) {
  const conversation = await lock(ctx, id);
  if (conversation.state !== 'closed') return { conversation };
  const { visitorId, contactId, botId, environmentId } = conversation;
  if (visitorId === null) throw conflict('conversation_erased', 'The data of this conversation was erased.');
  const owner = { visitorId, contactId: contactId ?? undefined, botId, environmentId };
  const [newest] = await store.newestOwned(ctx.tx, owner, 1);
  if (newest && newest.id !== id)
    throw conflict('newer_conversation', 'The visitor has started a newer conversation. Continue there.');
  const { closedFrom, closedWaitingSince, closedSnoozedUntil, assigneeId } = conversation;
  const assignee = closedFrom === 'human' && assigneeId !== null ? await findMember(ctx, assigneeId) : undefined;
  // Who had it may have left since.
  const isReleased = closedFrom === 'human' && !assignee;
  const state = isReleased ? 'waiting_human' : (closedFrom ?? 'bot');
  const outcome = changeOutcome(conversation, { closedAt: null });
  const update = {
    ...outcome.columns,
    ...(isReleased && { assigneeId: null }),
    teamId: await existingTeam(ctx, conversation.teamId),
    waitingSince: closedWaitingSince ?? (state === 'waiting_human' ? ctx.now : null),
    snoozedUntil: closedSnoozedUntil,
    closedWaitingSince: null,
    closedSnoozedUntil: null,
  };
  // `agent` is who the visitor writes to, which is not always who reopens it.
  const agent = assignee && { id: assignee.userId, name: assignee.name };
  const reopened = await changeState(ctx, conversation, state, update, { reopenedBy: agentOf(ctx), agent });
  await countOutcome(ctx, conversation, outcome);
  await emit(ctx, events.reopened, id, { object: reopened }, eventContext(reopened, reopened.lastSeq));
  return { conversation: reopened };
}

const maxSnoozeMs = 90 * 86_400_000;

/** Takes it out of the inbox until a time, or until the visitor writes. Then it waits there again. */
export async function snooze(ctx: Context, id: string, until: string | null) {
  const conversation = await lock(ctx, id);
  if (conversation.state === 'closed') throw conflict('conversation_closed', 'This conversation is closed.');
  const snoozedUntil = until === null ? null : new Date(until);
  const remainingMs = (snoozedUntil?.getTime() ?? Number.POSITIVE_INFINITY) - ctx.now.getTime();
  if (snoozedUntil && (remainingMs <= 0 || remainingMs > maxSnoozeMs))
    throw invalid('invalid_snooze', [{ path: '/until', message: 'Choose a time within the next 90 days.' }]);
  if (conversation.state === 'bot' && snoozedUntil)
    throw conflict('not_claimed', 'Claim the conversation before you snooze it.');
  if (snoozedUntil === null && conversation.snoozedUntil === null) return { conversation };
  // The end of a snooze is when it starts to wait, so that lists need no timer to show it again.
  const entry = { type: 'conversation.snoozed', payload: { until, agent: agentOf(ctx) }, isInternal: true };
  const waitingSince = snoozedUntil ?? ctx.now;
  await append(ctx, id, [entry], { snoozedUntil, waitingSince });
  await changeTimer(ctx, conversation, waitingSince);
  const object = orNotFound('conversation', await store.find(ctx.tx, id));
  await emit(ctx, events.conversationSnoozed, id, { object }, eventContext(object, object.lastSeq));
  return { conversation: object };
}

const maxTags = 20;
export const normalizeTags = (tags: readonly string[]) =>
  [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].toSorted();

export async function setTags(ctx: Context, id: string, wanted: readonly string[]) {
  const conversation = await lock(ctx, id);
  const tags = normalizeTags(wanted);
  if (tags.length > maxTags)
    throw invalid('too_many_tags', [{ path: '/tags', message: `A conversation can have up to ${maxTags} tags.` }]);
  if (tags.join() === conversation.tags.join()) return { conversation };
  const entry = { type: 'conversation.tagged', payload: { tags, agent: agentOf(ctx) }, isInternal: true };
  await append(ctx, id, [entry], { tags });
  await setTagTokens(ctx.tx, id, tags.map(tagToken));
  const object = orNotFound('conversation', await store.find(ctx.tx, id));
  await emit(ctx, events.conversationTagged, id, { object }, eventContext(object, object.lastSeq));
  return { conversation: object };
}

/** Read by agents as a whole: what one has read is not new to the others. */
export async function readAsAgent(ctx: Context, id: string, seq: number) {
  const isNew = await markRead(ctx.tx, id, 'agentReadSeq', seq);
  if (isNew === undefined) orNotFound('conversation', await store.find(ctx.tx, id));
  if (!isNew) return {};
  ctx.afterCommit(() => {
    notifyLive(ctx, id, { read: { role: 'agent', seq } });
    notifyInbox(ctx, id);
  });
  return {};
}

export async function typeAsAgent(ctx: Context, id: string) {
  orNotFound('conversation', await store.find(ctx.tx, id));
  ctx.afterCommit(() => notifyLive(ctx, id, { typing: { role: 'agent', name: ctx.profile?.name ?? null } }));
  return {};
}
