import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { currentVersion } from '../../../platform/version.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import { findListened, findWebhook, listenerFetch, targetOf } from '../../webhooks/index.ts';
import * as events from '../actions.events.ts';
import type { Assertions } from '../assertions.ts';
import { callTenant, type Call, type Ended, type Exchange } from './call.ts';
import { hashArgs, inLog, needsConfirmation, quietly, runTimer, settle, type Chats } from './runs.ts';
import { giveUp, nextTransition, notCarriedOut } from './transitions.ts';
import type { RunAttempt } from './runs.contract.ts';
import * as store from './runs.store.ts';
import type { Run } from './runs.store.ts';
import { planSteps } from './plan.ts';

// One step of a run: what the ledger says decides, and what comes of it is in the ledger before anybody hears of it. So it
// may be run again at any moment, by anybody, and goes on from where the last one is known to have been.

export interface RunParts {
  services: Services;
  fetch: SafeFetch;
  chats: Chats;
  assertions: Assertions;
}

export interface RunPlace {
  tenantId: Id<'tenant'>;
  runId: Id<'actionRun'>;
}

export type Next =
  | { kind: 'ended' }
  /** Somebody else has the word; at this time it is over. */
  | { kind: 'waits'; until: number }
  /** Its tenant is suspended or deleted: nothing is sent, and its timer is called for when the tenant goes on. */
  | { kind: 'held' }
  | { kind: 'again'; afterMs: number }
  | { kind: 'step'; runId: Id<'actionRun'> };

type Plan = Next | { kind: 'call'; call: Call };

const completeMs = 24 * 3_600_000;
/** What was requested for so long ago and never sent, as its tenant was suspended or we were, is not sent any more. */
const unsentMs = 24 * 3_600_000;

export const inRun = <T>(
  { services }: Pick<RunParts, 'services'>,
  tenantId: Id<'tenant'>,
  work: (ctx: Context) => Promise<T>,
) => inTenant(services, asSystem(tenantId, 'action-run'), work);

/** The conversation first, then the run: everybody locks in this order. */
export async function lockRun(ctx: Context, runId: string): Promise<Run | undefined> {
  await store.lockChatOf(ctx.tx, runId);
  return store.lock(ctx.tx, runId);
}

interface ToolCalls {
  /** Sees what went over the line, for a developer who tries it. */
  watch?: (exchange: Exchange) => void;
  /** Somebody wants to know what became of one that nobody knows the end of. */
  isAsked?: boolean;
}

export async function runStep(
  parts: RunParts,
  place: RunPlace,
  { watch, isAsked = false }: ToolCalls = {},
): Promise<Next> {
  await parts.assertions.ready();
  const plan = await inRun(parts, place.tenantId, (ctx) => planNext(ctx, parts, place.runId, isAsked));
  if (plan.kind !== 'call') return plan;
  const { call } = plan;
  const { listenedTo } = call.target;
  const byListener = listenedTo && listenerFetch((work) => inRun(parts, place.tenantId, work), listenedTo);
  const { ended, exchange } = await callTenant(byListener || parts.fetch, call);
  watch?.(exchange);
  return inRun(parts, place.tenantId, (ctx) => endAttempt(ctx, parts, call, ended));
}

async function planNext(ctx: Context, parts: RunParts, runId: Id<'actionRun'>, isAsked: boolean): Promise<Plan> {
  const { chats } = parts;
  const asker = await store.lockChatOf(ctx.tx, runId);
  const run = await store.lockToSend(ctx.tx, runId);
  if (!run) {
    await clearTimer(ctx, runTimer, runId); // erased, with all that it was about
    return { kind: 'ended' };
  }
  const isUnknown = run.state === 'unknown';
  if (isUnknown && isAsked && !run.spec.steps) return dispatch(ctx, parts, run, { kind: 'status', asker });
  const isResumable = isUnknown && run.spec.steps !== null; // a step of it may have been found out since
  if (run.state === 'collecting' || (!store.isOpen(run) && !isResumable)) {
    await clearTimer(ctx, runTimer, runId);
    return { kind: 'ended' };
  }
  if (run.state === 'awaiting_confirmation') {
    if (run.confirmBy !== null && run.confirmBy > ctx.now) return { kind: 'waits', until: run.confirmBy.getTime() };
    await settle(ctx, chats, run, { state: 'expired', outcome: 'failed', reason: 'not_confirmed' });
    return { kind: 'ended' };
  }
  if (run.spec.steps) return planSteps(ctx, chats, run, run.spec.steps);
  if (run.state === 'accepted') {
    if (run.completeBy !== null && run.completeBy > ctx.now) return { kind: 'waits', until: run.completeBy.getTime() };
    if (run.spec.effect === 'reconcile') return dispatch(ctx, parts, run, { kind: 'status', asker });
    await settle(ctx, chats, run, { state: 'unknown', outcome: 'unknown', reason: 'no_completion' });
    return { kind: 'ended' };
  }
  return goOn(ctx, parts, run, asker);
}

/** Also after a crash: an attempt without an end is one that nobody knows the end of. */
async function goOn(ctx: Context, parts: RunParts, run: store.Sendable, asker: store.Asker): Promise<Plan> {
  const now = ctx.now.getTime();
  const agreedAt = (run.confirmedAt ?? run.createdAt).getTime();
  // What undoes something is never too late.
  if (run.attempts.length === 0 && !run.isCompensation && now - agreedAt > unsentMs) {
    await settle(ctx, parts.chats, run, { state: 'failed', outcome: 'failed', reason: 'too_late' });
    return { kind: 'ended' };
  }
  const transition = nextTransition(run, now);
  if (transition.do === 'settle') {
    await settle(ctx, parts.chats, run, transition.settlement);
    return { kind: 'ended' };
  }
  if (transition.notBefore > now) {
    await setTimer(ctx, runTimer, run.id, new Date(transition.notBefore + 30_000));
    return { kind: 'again', afterMs: transition.notBefore - now };
  }
  return dispatch(ctx, parts, run, { kind: transition.do, asker });
}

interface Dispatching {
  kind: RunAttempt['kind'];
  asker: store.Asker;
}

/** The write-ahead: committed before the socket opens. */
async function dispatch(
  ctx: Context,
  parts: RunParts,
  { isTenantActive, ...run }: store.Sendable,
  { kind, asker }: Dispatching,
): Promise<Plan> {
  const { chats, assertions } = parts;
  if (run.argsHash !== hashArgs(run.args)) throw new Error(`the arguments of ${run.id} are not the confirmed ones`);
  const isFree = run.isCompensation || run.conversationId === null;
  if (needsConfirmation(run.spec) && run.confirmedAt === null && !isFree)
    throw new Error(`${run.id} has not been confirmed`);
  const isFirst = run.attempts.length === 0;
  if (!isTenantActive) {
    // Due now, so that it is called for when the tenant goes on: until then the sweeper does not see it.
    if (store.isOpen(run)) await setTimer(ctx, runTimer, run.id, ctx.now);
    return { kind: 'held' };
  }
  const refused = await refusalOf(ctx, run);
  if ('reason' in refused) {
    if (run.state === 'unknown') return { kind: 'ended' };
    const settlement = isFirst
      ? { state: 'failed' as const, outcome: 'failed' as const, reason: refused.reason }
      : giveUp(run, refused.reason);
    await settle(ctx, chats, run, settlement);
    return { kind: 'ended' };
  }
  const n = run.attempts.length + 1;
  const deadline = new Date(ctx.now.getTime() + run.spec.timeoutMs);
  const attempt: RunAttempt = {
    n,
    kind,
    at: ctx.now.toISOString(),
    end: null,
    status: null,
    error: null,
    ms: null,
    hint: 'In progress, or interrupted on our side.',
    responseHash: null,
  };
  const dispatched = await store.update(ctx.tx, run.id, {
    ...(run.state === 'proposed' && { state: 'dispatched' as const }),
    attempts: [...run.attempts, attempt],
    ...(kind === 'invoke' && { deadline }),
  });
  // The timer it was proposed with is late enough for the first.
  if (!isFirst && store.isOpen(run)) await setTimer(ctx, runTimer, run.id, new Date(deadline.getTime() + 30_000));
  if (isFirst) {
    const about = await inLog(ctx, chats, dispatched, 'action.started');
    await emit(quietly(ctx, dispatched), events.actionInvoked, run.id, { object: store.show(dispatched) }, about);
  }
  const call = {
    run: dispatched,
    tenantId: ctx.tenantId,
    target: refused.target,
    kind,
    n,
    at: ctx.now,
    deadline,
    actor: actorOf(run, asker),
    apiVersion: currentVersion,
  };
  return {
    kind: 'call',
    call: { ...call, assertion: run.endUser === null ? null : await assertions.sign(call, run.endUser) },
  };
}

/** Why nothing can be sent at this moment, or where to. Read anew for each attempt, as what was mended counts at once. */
async function refusalOf(ctx: Context, { spec, environmentId }: Run) {
  const { entitlements } = await readEntitlements(ctx);
  if (entitlements.private_actions <= 0) return { reason: 'not_in_plan' };
  // A developer who listens to this environment gets its calls, wherever they would go otherwise.
  const webhookId = (await findListened(ctx.tx, environmentId)) ?? spec.webhookId;
  const endpoint = webhookId === null ? undefined : await findWebhook(ctx.tx, webhookId);
  if (!endpoint) return { reason: 'endpoint_missing' };
  if (endpoint.isListenedTo) return { target: await targetOf(ctx, endpoint) };
  if (endpoint.status === 'paused' || endpoint.status === 'disabled') return { reason: `endpoint_${endpoint.status}` };
  return { target: await targetOf(ctx, endpoint) };
}

function actorOf({ endUser, isTest }: Run, asker: store.Asker): Call['actor'] {
  if (!asker) return { type: 'test', id: 'test', ...(endUser !== null && { externalUserId: endUser }) };
  if (asker.contactId !== null && endUser !== null)
    return { type: 'contact', id: asker.contactId, externalUserId: endUser };
  return { type: isTest ? 'test' : 'visitor', id: asker.visitorId ?? '' };
}

/** What the call has brought, if nobody else has found out meanwhile. */
async function endAttempt(ctx: Context, { chats }: RunParts, { run: sent, n }: Call, ended: Ended): Promise<Next> {
  const run = await lockRun(ctx, sent.id);
  const open = run?.attempts.find((one) => one.n === n);
  if (!run || !open || open.end !== null) return { kind: 'ended' };
  const { end, status, error, ms, hint, responseHash } = ended;
  const attempts = run.attempts.map((one) =>
    one === open ? { ...one, end, status, error, ms, hint, responseHash } : one,
  );
  const isLate = run.state === 'unknown'; // given up meanwhile by somebody who could not see this
  if (!store.isOpen(run) && !isLate) {
    await store.update(ctx.tx, run.id, { attempts });
    return { kind: 'ended' };
  }
  if (open !== run.attempts.at(-1) && end !== 'answered') {
    // Heard so late that another attempt was made meanwhile: that one may yet be carried out, and decides.
    await store.update(ctx.tx, run.id, { attempts });
    return { kind: 'again', afterMs: 1_000 };
  }
  const tried = { ...run, attempts, error: ended.problem ?? run.error };
  const settlement = settlementOf(tried, ended);
  if (settlement) {
    await settle(ctx, chats, run, { ...settlement, attempts });
    return { kind: 'ended' };
  }
  if (isLate) {
    if (end === 'absent') await settle(ctx, chats, run, { ...notCarriedOut, attempts });
    else await store.update(ctx.tx, run.id, { attempts });
    return { kind: 'ended' };
  }
  if (end === 'accepted') {
    const completeBy = new Date(ctx.now.getTime() + completeMs);
    const waiting = await store.update(ctx.tx, run.id, { state: 'accepted', completeBy, attempts });
    await setTimer(ctx, runTimer, run.id, completeBy);
    if (waiting.conversationId !== null && waiting.parentId === null && !waiting.isAwaited)
      await chats.notifyWaiting(ctx, waiting);
    return { kind: 'waits', until: completeBy.getTime() };
  }
  const completeBy =
    end === 'pending' && run.completeBy === null ? { completeBy: new Date(ctx.now.getTime() + completeMs) } : {};
  const kept = await store.update(ctx.tx, run.id, { attempts, error: tried.error, ...completeBy });
  const now = ctx.now.getTime();
  const transition = nextTransition(kept, now);
  if (transition.do === 'settle') {
    await settle(ctx, chats, kept, transition.settlement);
    return { kind: 'ended' };
  }
  await setTimer(ctx, runTimer, run.id, new Date(Math.max(now, transition.notBefore) + 30_000));
  return { kind: 'again', afterMs: Math.max(0, transition.notBefore - now) };
}

/** What ends it at once; undefined where it goes on. */
function settlementOf(run: Run, { end, output, display, problem, mayTryAgain, status, error }: Ended) {
  if (end === 'answered') return { state: 'succeeded' as const, outcome: 'succeeded' as const, output, display };
  if (end === 'refused' && !mayTryAgain) {
    const isTheirWord = problem !== undefined && !problem.code.startsWith('http_');
    if (isTheirWord)
      return { state: 'failed' as const, outcome: 'failed' as const, reason: 'refused', error: problem, display };
    return giveUp(run, 'refused');
  }
  // They did it, or think so, and what they say of it cannot be read: asking again would bring the same.
  const isUnreadable = end === 'unclear' && status !== null && status < 300 && error !== 'invalid_status';
  return isUnreadable && run.spec.effect !== 'reconcile' ? giveUp(run, 'invalid_response') : undefined;
}
