import type { Status } from '../webhooks.contract.ts';
import { brokenProbeMs, disabledProbeMs } from '../delivery/schedule.ts';

// Evaluates the health of an endpoint. Pure functions: state and outcomes in; new state, status changes and emails out.

export interface Health {
  /** Consecutive failures. */
  failures: number;
  failingSince: string | null;
  /** Up to three deliveries that failed since then: three rule out a single bad event as the cause. */
  failedDeliveries: string[];
  /** Counts of the last minutes. */
  window: { at: string; attempts: number; failures: number };
  /** Concurrent requests. Grows on success; halves on a timeout, 429 or 503. */
  concurrency: number;
  /** Just recovered: one failure opens the circuit breaker again. */
  isHalfOpen: boolean;
  /** From `Retry-After`. */
  holdUntil: string | null;
  probes: number;
  probeAt: string | null;
  /** First successful ping of a disabled endpoint. A second one is required a minute later. */
  goodProbeAt: string | null;
  disabledAt: string | null;
  /** Number of emails sent about this outage. */
  notices: number;
  /** The backlog is delivered at a reduced rate until it is empty. */
  isPaced: boolean;
  last: { eventId: string; problem: string } | null;
}

export const newHealth = (): Health => ({
  failures: 0,
  failingSince: null,
  failedDeliveries: [],
  window: { at: new Date(0).toISOString(), attempts: 0, failures: 0 },
  concurrency: 10,
  isHalfOpen: false,
  holdUntil: null,
  probes: 0,
  probeAt: null,
  goodProbeAt: null,
  disabledAt: null,
  notices: 0,
  isPaced: false,
  last: null,
});

export interface Outcome {
  deliveryId: string;
  eventId: string;
  /** `unsent`: an error on our side, which isn't counted. */
  result: 'succeeded' | 'failed' | 'unsent';
  problem: string;
  /** Timeout, 429 or 503. */
  isOverload: boolean;
  holdUntil?: Date | undefined;
  /** The receiver asked to be disabled. */
  disables?: 'gone' | 'receiver' | undefined;
}

export interface Evaluation {
  status: Status;
  disabledReason: 'failures' | 'gone' | 'receiver' | null;
  health: Health;
  /** Published once each as events. */
  statusChanges: ('failing' | 'recovered' | 'disabled')[];
  emails: Notice[];
}
export type Notice = 'failing' | 'disabled' | 'recovered';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
export const limits = { min: 1, initial: 10, max: 50 };
const failingAfter = 5;
const brokenAfter = 10;
const windowMs = 5 * minute;
/** Time without a success after which emails are sent. */
const noticesAt = [hour, day, 3 * day, 4 * day];
const disableAfterMs = 5 * day;

interface State {
  status: Status;
  disabledReason: Evaluation['disabledReason'];
  autoRecover: boolean;
  health: Health;
}

export function evaluate(state: State, outcomes: readonly Outcome[], now: Date, random = Math.random): Evaluation {
  const { status, disabledReason } = state;
  const evaluation: Evaluation = {
    status,
    disabledReason,
    health: structuredClone(state.health),
    statusChanges: [],
    emails: [],
  };
  const counted = outcomes.filter(({ result }) => result !== 'unsent');
  for (const outcome of counted) {
    if (outcome.result === 'succeeded') recordSuccess(evaluation, now);
    else recordFailure(evaluation, outcome, now, random);
  }
  if (counted.length > 0 && counted.every(({ result }) => result === 'succeeded')) raiseConcurrency(evaluation.health);
  else if (counted.some(({ isOverload }) => isOverload)) {
    evaluation.health.concurrency = Math.max(limits.min, Math.floor(evaluation.health.concurrency / 2));
  }
  return evaluation;
}

function raiseConcurrency(health: Health) {
  const { concurrency } = health;
  health.concurrency = Math.min(limits.max, concurrency < limits.initial ? concurrency * 2 : concurrency + 2);
  if (health.concurrency >= 8) health.isHalfOpen = false;
}

function recordSuccess(evaluation: Evaluation, now: Date) {
  const { health, status } = evaluation;
  if (status === 'disabled') {
    // Requires a second success a minute later.
    const first = health.goodProbeAt;
    if (!first || now.getTime() - Date.parse(first) < minute) {
      health.goodProbeAt = first ?? now.toISOString();
      health.probeAt = new Date(now.getTime() + minute + 1_000).toISOString();
      return;
    }
  }
  const isRecovering = status === 'broken' || status === 'disabled';
  if (isRecovering || health.notices > 0) {
    evaluation.statusChanges.push('recovered');
    if (health.notices > 0 || status === 'disabled') evaluation.emails.push('recovered');
  } else if (status === 'failing') evaluation.statusChanges.push('recovered');
  evaluation.health = {
    ...newHealth(),
    window: count(health, now, false),
    concurrency: isRecovering ? limits.min : health.concurrency,
    isHalfOpen: isRecovering || health.isHalfOpen,
    isPaced: status === 'disabled' || health.isPaced,
  };
  if (status !== 'paused') [evaluation.status, evaluation.disabledReason] = ['active', null];
}

function recordFailure(evaluation: Evaluation, outcome: Outcome, now: Date, random: () => number) {
  const { health } = evaluation;
  health.failures++;
  health.failingSince ??= now.toISOString();
  health.last = { eventId: outcome.eventId, problem: outcome.problem };
  health.window = count(health, now, true);
  health.goodProbeAt = null;
  if (health.failedDeliveries.length < 3 && !health.failedDeliveries.includes(outcome.deliveryId))
    health.failedDeliveries.push(outcome.deliveryId);
  if (outcome.holdUntil) health.holdUntil = latest(health.holdUntil, outcome.holdUntil);
  if (evaluation.status === 'paused') return;
  if (outcome.disables) return disable(evaluation, outcome.disables, now, random);
  if (evaluation.status === 'disabled') return scheduleProbe(evaluation, now, random);

  const failingForMs = now.getTime() - Date.parse(health.failingSince);
  if (failingForMs >= disableAfterMs && health.failures >= 20 && health.failedDeliveries.length >= 3)
    return disable(evaluation, 'failures', now, random);
  if (evaluation.status === 'active' && health.failures >= failingAfter) {
    evaluation.status = 'failing';
    evaluation.statusChanges.push('failing');
  }
  const { attempts, failures } = health.window;
  const isFailureRateHigh = attempts >= 10 && failures / attempts >= 0.7;
  if (evaluation.status === 'broken' || health.failures >= brokenAfter || isFailureRateHigh || health.isHalfOpen) {
    if (evaluation.status !== 'broken') health.probes = 0;
    if (evaluation.status === 'active') evaluation.statusChanges.push('failing');
    evaluation.status = 'broken';
    scheduleProbe(evaluation, now, random);
  }
  const due = noticesAt.filter((ms) => failingForMs >= ms).length;
  if (due > health.notices) {
    health.notices = due; // if several are due at the same time, only one is sent
    evaluation.emails.push('failing');
  }
}

function disable(evaluation: Evaluation, reason: 'failures' | 'gone' | 'receiver', now: Date, random: () => number) {
  const { health, status } = evaluation;
  if (status !== 'disabled') {
    health.disabledAt = now.toISOString();
    evaluation.statusChanges.push('disabled');
    evaluation.emails.push('disabled');
  }
  evaluation.status = 'disabled';
  evaluation.disabledReason = reason;
  scheduleProbe(evaluation, now, random);
}

/** No probe for an endpoint that asked to be disabled, or that has been disabled for too long. */
function scheduleProbe({ health, status, disabledReason }: Evaluation, now: Date, random: () => number) {
  const isFinal = status === 'disabled' && disabledReason !== 'failures';
  const disabledForMs = now.getTime() - Date.parse(health.disabledAt ?? now.toISOString());
  const wait = status === 'disabled' ? disabledProbeMs(disabledForMs, random) : brokenProbeMs(health.probes++, random);
  health.probeAt = isFinal || wait === undefined ? null : new Date(now.getTime() + wait).toISOString();
}

function count({ window }: Health, now: Date, isFailure: boolean): Health['window'] {
  const isOld = now.getTime() - Date.parse(window.at) > windowMs;
  const { at, attempts, failures } = isOld ? { at: now.toISOString(), attempts: 0, failures: 0 } : window;
  return { at, attempts: attempts + 1, failures: failures + (isFailure ? 1 : 0) };
}

const latest = (current: string | null, other: Date) =>
  current && Date.parse(current) > other.getTime() ? current : other.toISOString();

/** What to do now, or when to check again. */
export function nextAction(
  { status, health, autoRecover }: State,
  now: Date,
): { action: 'deliver' | 'probe' | 'ping' } | { at: Date | null } {
  if (status === 'paused') return { at: null };
  const holdUntil = health.holdUntil ? new Date(health.holdUntil) : null;
  if (holdUntil && holdUntil > now) return { at: holdUntil };
  if (status === 'active' || status === 'failing') return { action: 'deliver' };
  const at = health.probeAt && (status === 'broken' || autoRecover) ? new Date(health.probeAt) : null;
  if (!at || at > now) return { at };
  return { action: status === 'broken' ? 'probe' : 'ping' };
}
