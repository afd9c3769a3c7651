import type { Status } from '../webhooks.contract.ts';
import { brokenProbeMs, disabledProbeMs } from '../delivery/schedule.ts';

// How an endpoint is judged by what became of the calls to it. Nothing here reads a clock or a row: a state and what
// happened in, a state and what is to be told out.

export interface Health {
  /** Failures in a row, and since when. */
  failures: number;
  failingSince: string | null;
  /** Deliveries that failed since then: three are enough to know that it is not one poisoned event. */
  failedDeliveries: string[];
  /** Of the last minutes. */
  window: { at: string; attempts: number; failures: number };
  /** Calls at once: it grows while all is well, and halves when the receiver is slow or asks for less. */
  concurrency: number;
  /** Just came back: one failure is enough to break it again. */
  isHalfOpen: boolean;
  /** As the receiver asked (`Retry-After`). */
  holdUntil: string | null;
  probes: number;
  probeAt: string | null;
  /** A disabled endpoint answered once; it must do so again a minute later. */
  goodProbeAt: string | null;
  disabledAt: string | null;
  /** How many of the emails about this trouble were written. */
  notices: number;
  /** What waited is given out slowly until it is gone. */
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
  /** `unsent`: a fault of our own, which says nothing of the endpoint. */
  result: 'succeeded' | 'failed' | 'unsent';
  problem: string;
  /** Too much for it: a timeout, 429 or 503. */
  isOverload: boolean;
  holdUntil?: Date | undefined;
  /** It asked to be left alone. */
  disables?: 'gone' | 'receiver' | undefined;
}

export interface Evaluation {
  status: Status;
  disabledReason: 'failures' | 'gone' | 'receiver' | null;
  health: Health;
  /** Said once each, to the tenant's other endpoints and by email. */
  news: ('failing' | 'recovered' | 'disabled')[];
  emails: Notice[];
}
export type Notice = 'failing' | 'disabled' | 'recovered';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
export const limits = { fewest: 1, usual: 10, max: 50 };
const failingAfter = 5;
const brokenAfter = 10;
const windowMs = 5 * minute;
/** Time without a success after which emails are written. */
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
    news: [],
    emails: [],
  };
  const counted = outcomes.filter(({ result }) => result !== 'unsent');
  for (const outcome of counted) {
    if (outcome.result === 'succeeded') succeed(evaluation, now);
    else fail(evaluation, outcome, now, random);
  }
  if (counted.length > 0 && counted.every(({ result }) => result === 'succeeded')) speedUp(evaluation.health);
  else if (counted.some(({ isOverload }) => isOverload)) {
    evaluation.health.concurrency = Math.max(limits.fewest, Math.floor(evaluation.health.concurrency / 2));
  }
  return evaluation;
}

function speedUp(health: Health) {
  const { concurrency } = health;
  health.concurrency = Math.min(limits.max, concurrency < limits.usual ? concurrency * 2 : concurrency + 2);
  if (health.concurrency >= 8) health.isHalfOpen = false;
}

function succeed(evaluation: Evaluation, now: Date) {
  const { health, status } = evaluation;
  if (status === 'disabled') {
    // Once may be an accident. The second time, a minute later, it is back.
    const first = health.goodProbeAt;
    if (!first || now.getTime() - Date.parse(first) < minute) {
      health.goodProbeAt = first ?? now.toISOString();
      health.probeAt = new Date(now.getTime() + minute + 1_000).toISOString();
      return;
    }
  }
  const isBack = status === 'broken' || status === 'disabled';
  if (isBack || health.notices > 0) {
    evaluation.news.push('recovered');
    if (health.notices > 0 || status === 'disabled') evaluation.emails.push('recovered');
  } else if (status === 'failing') evaluation.news.push('recovered');
  evaluation.health = {
    ...newHealth(),
    window: count(health, now, false),
    concurrency: isBack ? limits.fewest : health.concurrency,
    isHalfOpen: isBack || health.isHalfOpen,
    isPaced: status === 'disabled' || health.isPaced,
  };
  if (status !== 'paused') [evaluation.status, evaluation.disabledReason] = ['active', null];
}

function fail(evaluation: Evaluation, outcome: Outcome, now: Date, random: () => number) {
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
  if (evaluation.status === 'disabled') return planProbe(evaluation, now, random);

  const failingForMs = now.getTime() - Date.parse(health.failingSince);
  if (failingForMs >= disableAfterMs && health.failures >= 20 && health.failedDeliveries.length >= 3)
    return disable(evaluation, 'failures', now, random);
  if (evaluation.status === 'active' && health.failures >= failingAfter) {
    evaluation.status = 'failing';
    evaluation.news.push('failing');
  }
  const { attempts, failures } = health.window;
  const isMostlyBad = attempts >= 10 && failures / attempts >= 0.7;
  if (evaluation.status === 'broken' || health.failures >= brokenAfter || isMostlyBad || health.isHalfOpen) {
    if (evaluation.status !== 'broken') health.probes = 0;
    if (evaluation.status === 'active') evaluation.news.push('failing');
    evaluation.status = 'broken';
    planProbe(evaluation, now, random);
  }
  const due = noticesAt.filter((ms) => failingForMs >= ms).length;
  if (due > health.notices) {
    health.notices = due; // of those that came due at once, one is written
    evaluation.emails.push('failing');
  }
}

function disable(evaluation: Evaluation, reason: 'failures' | 'gone' | 'receiver', now: Date, random: () => number) {
  const { health, status } = evaluation;
  if (status !== 'disabled') {
    health.disabledAt = now.toISOString();
    evaluation.news.push('disabled');
    evaluation.emails.push('disabled');
  }
  evaluation.status = 'disabled';
  evaluation.disabledReason = reason;
  planProbe(evaluation, now, random);
}

/** Of one that asked to be left alone, or that nobody wants tried, none. */
function planProbe({ health, status, disabledReason }: Evaluation, now: Date, random: () => number) {
  const isOver = status === 'disabled' && disabledReason !== 'failures';
  const disabledForMs = now.getTime() - Date.parse(health.disabledAt ?? now.toISOString());
  const wait = status === 'disabled' ? disabledProbeMs(disabledForMs, random) : brokenProbeMs(health.probes++, random);
  health.probeAt = isOver || wait === undefined ? null : new Date(now.getTime() + wait).toISOString();
}

function count({ window }: Health, now: Date, isFailure: boolean): Health['window'] {
  const isOld = now.getTime() - Date.parse(window.at) > windowMs;
  const { at, attempts, failures } = isOld ? { at: now.toISOString(), attempts: 0, failures: 0 } : window;
  return { at, attempts: attempts + 1, failures: failures + (isFailure ? 1 : 0) };
}

const latest = (known: string | null, other: Date) =>
  known && Date.parse(known) > other.getTime() ? known : other.toISOString();

/** What may be done now, or when to look again. */
export function permitted(
  { status, health, autoRecover }: State,
  now: Date,
): { may: 'deliver' | 'probe' | 'ping' } | { at: Date | null } {
  if (status === 'paused') return { at: null };
  const heldUntil = health.holdUntil ? new Date(health.holdUntil) : null;
  if (heldUntil && heldUntil > now) return { at: heldUntil };
  if (status === 'active' || status === 'failing') return { may: 'deliver' };
  const at = health.probeAt && (status === 'broken' || autoRecover) ? new Date(health.probeAt) : null;
  if (!at || at > now) return { at };
  return { may: status === 'broken' ? 'probe' : 'ping' };
}
