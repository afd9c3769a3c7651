import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { emailAfterOptions } from '../../agents/agents.contract.ts';
import { chooseAgent, listAvailableAgents } from '../../agents/index.ts';
import { findBusinessHoursOfBot, waitedUntil } from '../../business-hours/index.ts';
import { hasMemberPermission } from '../../members/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as conversations from '../conversations.store.ts';
import { append } from '../log/log.store.ts';
import { eventContext } from '../visitor/accept.ts';
import { saveAssignment, waitAgain } from './assign.ts';
import type { AssignmentSettings } from './assignment.contract.ts';
import * as events from './assignment.events.ts';
import * as store from './assignment.store.ts';
import { manual } from './settings.service.ts';
import type { WaitingCall } from './waiting.interface.ts';
import { emailAgents, emailEscalation } from './waiting-emails.ts';
import { waitingTimer } from './waiting-timer.ts';

interface TimeLimit {
  kind: 'unanswered' | 'escalation';
  minutes: number;
  at: Date;
}
interface NextCheck {
  at: number;
  afterMs: number;
}

/** What is due so soon is due now: the clock of the process that scheduled this call may be ahead. */
const clockSkewMs = 1_000;

/**
 * Does what is due about a conversation whose visitor waits for an agent, and returns when the next time limit is due; null if there
 * is none. Each is acted on once, however often this is called: the conversation's row says how far it was checked.
 */
export const checkWaiting = (services: Services, { tenantId, conversationId }: WaitingCall) =>
  inTenant(services, asSystem(tenantId, 'assignment'), async (ctx): Promise<NextCheck | null> => {
    const conversation = await conversations.lock(ctx.tx, conversationId);
    const { waitingSince, isTest } = conversation ?? {};
    const progress = conversation && (await store.findProgress(ctx.tx, conversationId));
    if (!waitingSince || isTest || !progress) {
      await clearTimer(ctx, waitingTimer, conversationId);
      return null;
    }
    // The timer stays, and is run when the tenant is active again.
    if (!progress.isTenantActive) return null;
    const settings = (await store.findSettingsOfBot(ctx.tx, conversation.botId)) ?? manual;
    const limits = await timeLimitsOf(ctx, conversation, waitingSince, settings);
    const { waitingCheckedAt, escalatedAt } = progress;
    const checkedAt = waitingCheckedAt && waitingCheckedAt > waitingSince ? waitingCheckedAt : waitingSince;
    const isEscalated = escalatedAt !== null && escalatedAt >= waitingSince;
    const due = new Date(ctx.now.getTime() + clockSkewMs);
    let isEscalatedNow = false;
    for (const { kind, minutes, at } of limits) {
      if (at > due) continue;
      if (kind === 'unanswered') {
        if (at > checkedAt) await reportUnanswered(ctx, conversation, minutes);
      } else if (!isEscalated && !(await hasPresentAgent(ctx, conversation))) {
        await escalate(ctx, conversation, settings);
        isEscalatedNow = true;
      }
    }
    await store.saveProgress(ctx.tx, conversationId, {
      waitingCheckedAt: due,
      ...(isEscalatedNow && { escalatedAt: ctx.now }),
    });
    const next = limits.find(({ at }) => at > due)?.at;
    if (!next) {
      await clearTimer(ctx, waitingTimer, conversationId);
      return null;
    }
    await setTimer(ctx, waitingTimer, conversationId, next);
    return { at: next.getTime(), afterMs: next.getTime() - ctx.now.getTime() };
  });

/** In order of time. Minutes count from when the team is there. */
async function timeLimitsOf(
  { tx }: Context,
  { botId }: Conversation,
  waitingSince: Date,
  { escalation }: AssignmentSettings,
): Promise<TimeLimit[]> {
  const hours = (await findBusinessHoursOfBot(tx, botId)) ?? null;
  const limits: Omit<TimeLimit, 'at'>[] = emailAfterOptions.map((minutes) => ({ kind: 'unanswered', minutes }));
  if (escalation) limits.push({ kind: 'escalation', minutes: escalation.afterMinutes });
  return limits
    .flatMap((limit) => {
      const at = waitedUntil(hours, waitingSince, limit.minutes);
      return at ? [{ ...limit, at }] : [];
    })
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** An agent who claimed it and is there keeps it. It is checked again with the next time limit, as they may leave. */
async function hasPresentAgent({ tx }: Context, { state, assigneeId }: Conversation): Promise<boolean> {
  return state === 'human' && assigneeId !== null && (await listAvailableAgents(tx, [assigneeId])).length > 0;
}

async function reportUnanswered(ctx: Context, { id }: Conversation, minutes: number): Promise<void> {
  const object = await conversations.find(ctx.tx, id); // an escalation may have changed it
  if (!object) return;
  const data = { object, waitedMinutes: minutes };
  await emit(ctx, events.waitingUnanswered, id, data, eventContext(object, object.lastSeq));
  await emailAgents(ctx, object, minutes);
}

/** Assigns it to whom the settings name. Within a team, as new conversations are assigned. */
async function escalate(
  ctx: Context,
  conversation: Conversation,
  { mode, maxOpen, escalation }: AssignmentSettings,
): Promise<void> {
  if (!escalation) return;
  const { to, afterMinutes } = escalation;
  const teamId = to.type === 'team' ? to.teamId : to.type === 'all' ? null : conversation.teamId;
  const chosen = to.type === 'team' && mode === 'round_robin' ? await chooseAgent(ctx, { teamId, maxOpen }) : undefined;
  const isMember = to.type === 'member' && (await hasMemberPermission(ctx, to.userId, 'conversation.reply'));
  const assigneeId = isMember ? to.userId : (chosen ?? null);
  const entry = { type: 'conversation.escalated', payload: { to, afterMinutes }, isInternal: true };
  const before = conversation.state === 'human' ? await waitAgain(ctx, conversation) : conversation;
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry]);
  const object = await saveAssignment(ctx, { ...before, lastSeq }, { assigneeId, teamId });
  await emit(
    ctx,
    events.conversationEscalated,
    conversation.id,
    { object, afterMinutes, to },
    eventContext(object, lastSeq),
  );
  await emailEscalation(ctx, object, afterMinutes);
}
