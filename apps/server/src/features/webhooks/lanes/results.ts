import type { FinishedDelivery, Retry } from '../delivery/queue.store.ts';
import { internalErrorRetryMs, retryAfterMs } from '../delivery/schedule.ts';
import { evaluate, type Evaluation, type Health, type Outcome } from '../endpoints/health.ts';
import type { DeliveryResult, LaneDelivery } from './endpoint-state.ts';
import type { Settings } from './step.dispatch.ts';

// What results mean, for the queue and for the endpoint's health. Pure functions.

export interface SortedResults {
  finished: FinishedDelivery[];
  retries: Retry[];
  /** Failed for good. */
  exhausted: LaneDelivery[];
}

export function sortResults(results: readonly DeliveryResult[], now: Date): SortedResults {
  const [finished, retries, exhausted]: [FinishedDelivery[], Retry[], LaneDelivery[]] = [[], [], []];
  for (const { delivery, sendResult } of results) {
    if (!delivery) continue; // a ping has no delivery
    const { attempt, directive } = sendResult;
    const { id, attempts } = delivery;
    if (attempt.outcome === 'succeeded') {
      finished.push({ id, attempts, attempt, status: 'succeeded' });
      continue;
    }
    const isFree = delivery.isProbe || attempt.outcome === 'unsent';
    const retryCount = delivery.retryCount + (isFree ? 0 : 1);
    const waitMs = isFree ? (attempt.outcome === 'unsent' ? internalErrorRetryMs() : 0) : retryAfterMs(retryCount);
    if (directive === 'abort' || waitMs === undefined) {
      finished.push({ id, attempts, attempt, status: directive === 'abort' ? 'aborted' : 'exhausted' });
      if (directive !== 'abort') exhausted.push(delivery);
    } else retries.push({ id, attempts, attempt, retryCount, nextAttemptAt: new Date(now.getTime() + waitMs) });
  }
  return { finished, retries, exhausted };
}

export const outcomeOf = ({ delivery, sendResult }: DeliveryResult): Outcome => {
  const { attempt, directive } = sendResult;
  return {
    deliveryId: delivery?.id ?? '',
    eventId: delivery?.eventId ?? '',
    result: attempt.outcome === 'succeeded' ? 'succeeded' : attempt.outcome === 'unsent' ? 'unsent' : 'failed',
    problem: attempt.hint,
    isOverload: sendResult.isOverload,
    holdUntil: sendResult.holdUntil,
    disables: directive === 'gone' || directive === 'receiver' ? directive : undefined,
  };
};

/** The last success and failure, as stored with the endpoint. */
export function lastOf(results: readonly DeliveryResult[], now: Date) {
  const last = (outcome: string) => results.findLast(({ sendResult }) => sendResult.attempt.outcome === outcome);
  const [success, failure] = [last('succeeded'), last('failed')];
  return {
    ...(success && { lastSuccessAt: now }),
    ...(failure && { lastFailureAt: now, lastFailureStatus: failure.sendResult.attempt.status }),
  };
}

export const evaluateResults = (settings: Settings, results: readonly DeliveryResult[], now: Date): Evaluation =>
  evaluate(settings, results.map(outcomeOf), now);

/** Whether events or emails must be published, or the endpoint itself changes: then it gets a separate transaction. */
export const needsOwnTransaction = (settings: Settings, evaluation: Evaluation, { exhausted }: SortedResults) =>
  exhausted.length > 0 ||
  evaluation.statusChanges.length > 0 ||
  evaluation.emails.length > 0 ||
  evaluation.status !== settings.status ||
  evaluation.disabledReason !== settings.disabledReason;

/** Whether another success changed nothing that has to be stored with each delivery. */
export const isUnchanged = (before: Health, after: Health, results: readonly DeliveryResult[]) =>
  before.failures === 0 &&
  after.failures === 0 &&
  before.concurrency === after.concurrency &&
  before.isHalfOpen === after.isHalfOpen &&
  before.isPaced === after.isPaced &&
  results.every(({ sendResult }) => sendResult.attempt.outcome === 'succeeded');
