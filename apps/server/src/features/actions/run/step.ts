import { asSystem, inTenant, withTrace, type Context, type Services } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { inTrace, traceIdOf } from '../../../platform/spans.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { currentVersion } from '../../../platform/version.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import { findListened, findWebhook, listenerFetch, targetOf } from '../../webhooks/index.ts';
import * as events from '../actions.events.ts';
import type { Assertions } from '../assertions.ts';
import { callTenant, type Call, type CallResult, type Exchange } from './call.ts';
import {
  hashArgs,
  appendToLog,
  needsConfirmation,
  restoredSettlement,
  withoutRelayWake,
  runTimer,
  settle,
  type Chats,
  type Participant,
} from './runs.ts';
import { failureSettlement, nextTransition, notCarriedOut, withoutMiddlePolls } from './transitions.ts';
import type { RunAttempt } from './runs.contract.ts';
import * as store from './runs.store.ts';
import type { Run } from './runs.store.ts';
import { planSteps } from './plan.ts';

// One step of a run. It decides from the stored attempts, and stores the result before publishing it. So any process may
// repeat it at any time, and it continues from the last stored state.

export interface RunDeps {
  services: Services;
  fetch: SafeFetch;
  chats: Chats;
  assertions: Assertions;
  log: Log;
}

export interface RunRef {
  tenantId: Id<'tenant'>;
  runId: Id<'actionRun'>;
}

export type StepResult =
  | { kind: 'ended' }
  /** For a confirmation or a late result, until the deadline. */
  | { kind: 'waiting'; until: number }
  /** The tenant is suspended or deleted, so nothing is sent. The timer fires when the tenant is active again. */
  | { kind: 'suspended' }
  /** `at` is the same for every caller, so that it identifies the call. */
  | { kind: 'retry'; afterMs: number; at: number }
  | { kind: 'step'; runId: Id<'actionRun'> };

type Plan = StepResult | { kind: 'call'; call: Call };

const completeMs = 24 * 3_600_000;
/** A run that was not sent for this long, because of a suspension or an outage, fails as `too_late`. */
const unsentMs = 24 * 3_600_000;

export const inRun = <T>(
  { services }: Pick<RunDeps, 'services'>,
  tenantId: Id<'tenant'>,
  work: (ctx: Context) => Promise<T>,
  traceparent?: string | null,
) => inTenant(services, withTrace(asSystem(tenantId, 'action-run'), traceparent), work);

/** Lock order: conversation first, then run. */
export async function lockRun(ctx: Context, chats: Chats, runId: string): Promise<Run | undefined> {
  const [, run] = await Promise.all([chats.lock(ctx, runId), store.lock(ctx.tx, runId)]);
  return run;
}

interface StepOptions {
  /** Receives the request and response, for test runs. */
  onExchange?: (exchange: Exchange) => void;
  /** Sends a status request if the outcome of the run is unknown. */
  isStatusRequested?: boolean;
}

export async function runStep(
  deps: RunDeps,
  ref: RunRef,
  { onExchange, isStatusRequested = false }: StepOptions = {},
): Promise<StepResult> {
  await deps.assertions.ready();
  const plan = await inRun(deps, ref.tenantId, (ctx) => planNext(ctx, deps, ref.runId, isStatusRequested));
  if (plan.kind !== 'call') return plan;
  const { call } = plan;
  const { traceparent } = call.run;
  return inTrace(traceparent, async () => {
    const { listenedTo } = call.target;
    const byListener = listenedTo && listenerFetch((work) => inRun(deps, ref.tenantId, work), listenedTo);
    const { result, exchange } = await callTenant(byListener || deps.fetch, call);
    onExchange?.(exchange);
    logAttempt(deps.log, call, result);
    return inRun(deps, ref.tenantId, (ctx) => endAttempt(ctx, deps, call, result), traceparent);
  });
}

function logAttempt(log: Log, { run, tenantId, n: attempt }: Call, { end: outcome, status, error, ms }: CallResult) {
  const { id: runId, conversationId, traceparent } = run;
  const traceId = traceparent === null ? undefined : traceIdOf(traceparent);
  const ids = { traceId, tenantId, conversationId: conversationId ?? undefined, runId };
  const reason = error ?? undefined;
  log.info({ ...ids, attempt, outcome, status: status ?? undefined, reason, ms }, 'action attempt ended');
}

async function planNext(
  ctx: Context,
  deps: RunDeps,
  runId: Id<'actionRun'>,
  isStatusRequested: boolean,
): Promise<Plan> {
  const [participant, run] = await Promise.all([deps.chats.lock(ctx, runId), store.lockToSend(ctx.tx, runId)]);
  if (run)
    return inTrace(run.traceparent, () =>
      planRun(withTrace(ctx, run.traceparent), deps, run, { participant, isStatusRequested }),
    );
  await clearTimer(ctx, runTimer, runId); // deleted with its conversation
  return { kind: 'ended' };
}

async function planRun(
  ctx: Context,
  deps: RunDeps,
  run: store.SendableRun,
  { participant, isStatusRequested }: { participant: Participant | undefined; isStatusRequested: boolean },
): Promise<Plan> {
  const { chats } = deps;
  const isUnknown = run.state === 'unknown';
  if (isUnknown && isStatusRequested && !run.spec.steps)
    return dispatch(ctx, deps, run, { kind: 'status', participant });
  const isFromBeforeRestore = run.restoreEpoch !== null;
  // One of its steps may have been resolved since. After a restore, the steps that follow may have been carried out as well.
  const isResumable = isUnknown && run.spec.steps !== null && !isFromBeforeRestore;
  if (run.state === 'collecting' || (!store.isOpen(run) && !isResumable)) {
    // So that it can be resolved itself.
    if (isUnknown && isFromBeforeRestore) store.change(ctx.tx, run, { reason: 'restored' });
    later(ctx.tx, clearTimer(ctx, runTimer, run.id));
    return { kind: 'ended' };
  }
  if (isFromBeforeRestore) {
    await settle(ctx, chats, run, restoredSettlement(run));
    return { kind: 'ended' };
  }
  if (run.state === 'awaiting_confirmation') {
    if (run.confirmBy !== null && run.confirmBy > ctx.now) return { kind: 'waiting', until: run.confirmBy.getTime() };
    await settle(ctx, chats, run, { state: 'expired', outcome: 'failed', reason: 'not_confirmed' });
    return { kind: 'ended' };
  }
  if (run.spec.steps) return planSteps(ctx, chats, run, run.spec.steps);
  if (run.state === 'accepted') {
    if (run.completeBy !== null && run.completeBy > ctx.now)
      return { kind: 'waiting', until: run.completeBy.getTime() };
    if (run.spec.effect === 'reconcile') return dispatch(ctx, deps, run, { kind: 'status', participant });
    await settle(ctx, chats, run, { state: 'unknown', outcome: 'unknown', reason: 'no_completion' });
    return { kind: 'ended' };
  }
  return continueRun(ctx, deps, run, participant);
}

/** Also after a crash: an attempt without an `end` counts as unclear. */
async function continueRun(
  ctx: Context,
  deps: RunDeps,
  run: store.SendableRun,
  participant: Participant | undefined,
): Promise<Plan> {
  const now = ctx.now.getTime();
  const agreedAt = (run.confirmedAt ?? run.createdAt).getTime();
  // Compensations are never too late.
  if (run.attempts.length === 0 && !run.isCompensation && now - agreedAt > unsentMs) {
    await settle(ctx, deps.chats, run, { state: 'failed', outcome: 'failed', reason: 'too_late' });
    return { kind: 'ended' };
  }
  const transition = nextTransition(run, now);
  if (transition.do === 'settle') {
    await settle(ctx, deps.chats, run, transition.settlement);
    return { kind: 'ended' };
  }
  if (transition.notBefore > now) {
    later(ctx.tx, setTimer(ctx, runTimer, run.id, new Date(transition.notBefore + 30_000)));
    return { kind: 'retry', afterMs: transition.notBefore - now, at: transition.notBefore };
  }
  return dispatch(ctx, deps, run, { kind: transition.do, participant });
}

interface DispatchInput {
  kind: RunAttempt['kind'];
  participant: Participant | undefined;
}

/** Stores the attempt. This is committed before the request is sent. */
async function dispatch(
  ctx: Context,
  deps: RunDeps,
  { isTenantActive, restoreEpoch: _epoch, ...run }: store.SendableRun,
  { kind, participant }: DispatchInput,
): Promise<Plan> {
  const { chats, assertions } = deps;
  if (run.argsHash !== hashArgs(run.args)) throw new Error(`the arguments of ${run.id} are not the confirmed ones`);
  const isExempt = run.isCompensation || run.conversationId === null;
  if (needsConfirmation(run.spec) && run.confirmedAt === null && !isExempt)
    throw new Error(`${run.id} has not been confirmed`);
  const isFirst = run.attempts.length === 0;
  if (!isTenantActive) {
    // Due now, so that it fires once the tenant is active again. The sweeper skips the timers of suspended tenants.
    if (store.isOpen(run)) await setTimer(ctx, runTimer, run.id, ctx.now);
    return { kind: 'suspended' };
  }
  const resolved = await resolveTarget(ctx, run);
  if ('reason' in resolved) {
    if (run.state === 'unknown') return { kind: 'ended' };
    const settlement = isFirst
      ? { state: 'failed' as const, outcome: 'failed' as const, reason: resolved.reason }
      : failureSettlement(run, resolved.reason);
    await settle(ctx, chats, run, settlement);
    return { kind: 'ended' };
  }
  const n = (run.attempts.at(-1)?.n ?? 0) + 1; // not all are kept
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
  const dispatched = store.change(ctx.tx, run, {
    ...(run.state === 'proposed' && { state: 'dispatched' as const }),
    attempts: [...run.attempts, attempt],
    ...(kind === 'invoke' && { deadline }),
  });
  // The timer set by `propose` is late enough for the first attempt.
  if (!isFirst && store.isOpen(run))
    later(ctx.tx, setTimer(ctx, runTimer, run.id, new Date(deadline.getTime() + 30_000)));
  if (isFirst) {
    const refs = await appendToLog(ctx, chats, dispatched, 'action.started');
    await emit(
      withoutRelayWake(ctx, dispatched),
      events.actionInvoked,
      run.id,
      { object: store.toActionRun(dispatched) },
      refs,
    );
  }
  const call = {
    run: dispatched,
    tenantId: ctx.tenantId,
    target: resolved.target,
    kind,
    n,
    at: ctx.now,
    deadline,
    actor: actorOf(run, participant),
    apiVersion: currentVersion,
  };
  return {
    kind: 'call',
    call: { ...call, assertion: run.endUser === null ? null : await assertions.sign(call, run.endUser) },
  };
}

/** The endpoint, or the reason why nothing can be sent. Read for each attempt, so that a fixed setting applies right away. */
async function resolveTarget(ctx: Context, { spec, environmentId }: Run) {
  const [{ entitlements }, listenedId, own] = await Promise.all([
    readEntitlements(ctx),
    findListened(ctx.tx, environmentId),
    spec.webhookId === null ? undefined : findWebhook(ctx.tx, spec.webhookId),
  ]);
  if (entitlements.private_actions <= 0) return { reason: 'not_in_plan' };
  // A developer who listens to this environment with the CLI receives its calls instead.
  const endpoint = listenedId === undefined ? own : await findWebhook(ctx.tx, listenedId);
  if (!endpoint) return { reason: 'endpoint_missing' };
  if (endpoint.isListenedTo) return { target: await targetOf(ctx, endpoint) };
  if (endpoint.status === 'paused' || endpoint.status === 'disabled') return { reason: `endpoint_${endpoint.status}` };
  return { target: await targetOf(ctx, endpoint) };
}

function actorOf({ endUser, isTest }: Run, participant: Participant | undefined): Call['actor'] {
  if (!participant) return { type: 'test', id: 'test', ...(endUser !== null && { externalUserId: endUser }) };
  if (participant.contactId !== null && endUser !== null)
    return { type: 'contact', id: participant.contactId, externalUserId: endUser };
  return { type: isTest ? 'test' : 'visitor', id: participant.visitorId ?? '' };
}

/** Stores the result of a call, unless the run was resolved in the meantime. */
async function endAttempt(
  ctx: Context,
  { chats }: RunDeps,
  { run: sent, n }: Call,
  result: CallResult,
): Promise<StepResult> {
  const run = await lockRun(ctx, chats, sent.id);
  const open = run?.attempts.find((one) => one.n === n);
  if (!run || !open || open.end !== null) return { kind: 'ended' };
  const { end, status, error, ms, hint, responseHash } = result;
  const attempts = withoutMiddlePolls(
    run.attempts.map((one) => (one === open ? { ...one, end, status, error, ms, hint, responseHash } : one)),
  );
  const isLate = run.state === 'unknown'; // settled by another process that did not see this result
  if (!store.isOpen(run) && !isLate) {
    store.change(ctx.tx, run, { attempts });
    return { kind: 'ended' };
  }
  if (open !== run.attempts.at(-1) && end !== 'answered') {
    // A newer attempt was made in the meantime. It may still be carried out, so its result decides.
    store.change(ctx.tx, run, { attempts });
    return { kind: 'retry', afterMs: 1_000, at: ctx.now.getTime() + 1_000 };
  }
  const attempted = { ...run, attempts, error: result.problem ?? run.error };
  const settlement = settlementOf(attempted, result);
  if (settlement) {
    await settle(ctx, chats, run, { ...settlement, attempts });
    return { kind: 'ended' };
  }
  if (isLate) {
    if (end === 'absent') await settle(ctx, chats, run, { ...notCarriedOut, attempts });
    else store.change(ctx.tx, run, { attempts });
    return { kind: 'ended' };
  }
  if (end === 'accepted') {
    const completeBy = new Date(ctx.now.getTime() + completeMs);
    const waiting = store.change(ctx.tx, run, { state: 'accepted', completeBy, attempts });
    later(ctx.tx, setTimer(ctx, runTimer, run.id, completeBy));
    if (waiting.conversationId !== null && waiting.parentId === null && !waiting.isAwaited)
      await chats.notifyWaiting(ctx, waiting);
    return { kind: 'waiting', until: completeBy.getTime() };
  }
  const completeBy =
    end === 'pending' && run.completeBy === null ? { completeBy: new Date(ctx.now.getTime() + completeMs) } : {};
  const updated = store.change(ctx.tx, run, { attempts, error: attempted.error, ...completeBy });
  const now = ctx.now.getTime();
  const transition = nextTransition(updated, now);
  if (transition.do === 'settle') {
    await settle(ctx, chats, updated, transition.settlement);
    return { kind: 'ended' };
  }
  const at = Math.max(now, transition.notBefore);
  later(ctx.tx, setTimer(ctx, runTimer, run.id, new Date(at + 30_000)));
  return { kind: 'retry', afterMs: at - now, at };
}

/** The settlement if this result ends the run; otherwise undefined. */
function settlementOf(run: Run, { end, output, display, problem, isRetryable, status, error }: CallResult) {
  if (end === 'answered') return { state: 'succeeded' as const, outcome: 'succeeded' as const, output, display };
  if (end === 'refused' && !isRetryable) {
    const hasBackendReason = problem !== undefined && !problem.code.startsWith('http_');
    if (hasBackendReason)
      return { state: 'failed' as const, outcome: 'failed' as const, reason: 'refused', error: problem, display };
    return failureSettlement(run, 'refused');
  }
  // The backend reported success with an invalid body. A retry would give the same response.
  const isUnreadable = end === 'unclear' && status !== null && status < 300 && error !== 'invalid_status';
  return isUnreadable && run.spec.effect !== 'reconcile' ? failureSettlement(run, 'invalid_response') : undefined;
}
