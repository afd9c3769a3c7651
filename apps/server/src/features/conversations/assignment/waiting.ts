import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { emailAfterOptions } from '../../agents/agents.contract.ts';
import { chooseAgent } from '../../agents/index.ts';
import { findBusinessHoursOfBot, waitedUntil } from '../../business-hours/index.ts';
import { hasMemberPermission } from '../../members/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as conversations from '../conversations.store.ts';
import { append } from '../log/log.store.ts';
import { eventContext } from '../visitor/accept.ts';
import { saveAssignment, waitingTimer } from './assign.ts';
import type { AssignmentSettings } from './assignment.contract.ts';
import * as events from './assignment.events.ts';
import * as store from './assignment.store.ts';
import { manual } from './settings.service.ts';
import type { WaitingCall } from './waiting.interface.ts';
import { emailAgents, emailEscalation } from './waiting-emails.ts';

interface TimeLimit {
  kind: 'unanswered' | 'escalation';
  minutes: number;
  at: Date;
}
interface NextCheck {
  at: number;
  afterMs: number;
}

/**
 * Does what is due about a conversation that waits for an agent, and returns when the next time limit is due; null if there
 * is none. Each is acted on once, however often this is called: the conversation's row says how far it was checked.
 */
export const checkWaiting = (services: Services, { tenantId, conversationId }: WaitingCall) =>
  inTenant(services, asSystem(tenantId, 'assignment'), async (ctx): Promise<NextCheck | null> => {
    const conversation = await conversations.lock(ctx.tx, conversationId);
    const { waitingSince } = conversation ?? {};
    const progress = conversation && (await store.findProgress(ctx.tx, conversationId));
    if (conversation?.state !== 'waiting_human' || !waitingSince || !progress) {
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
    let isEscalatedNow = false;
    for (const { kind, minutes, at } of limits) {
      if (at > ctx.now) continue;
      if (kind === 'unanswered') {
        if (at > checkedAt) await reportUnanswered(ctx, conversation, minutes);
      } else if (!isEscalated) {
        await escalate(ctx, conversation, settings);
        isEscalatedNow = true;
      }
    }
    await store.saveProgress(ctx.tx, conversationId, {
      waitingCheckedAt: ctx.now,
      ...(isEscalatedNow && { escalatedAt: ctx.now }),
    });
    const next = limits.find(({ at }) => at > ctx.now)?.at;
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
  const [lastSeq = 0] = await append(ctx, conversation.id, [entry]);
  const object = await saveAssignment(ctx, { ...conversation, lastSeq }, { assigneeId, teamId });
  await emit(
    ctx,
    events.conversationEscalated,
    conversation.id,
    { object, afterMinutes, to },
    eventContext(object, lastSeq),
  );
  await emailEscalation(ctx, object, afterMinutes);
}
