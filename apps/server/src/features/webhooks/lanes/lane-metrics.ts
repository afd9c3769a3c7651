import { createHistogram } from '../../../platform/metrics/histogram.ts';
import { createCounter } from '../../../platform/metrics/instruments.ts';
import type { Attempt } from '../delivery/send.ts';
import type { EndpointState } from './endpoint-state.ts';

const attempts = createCounter(
  'parley_webhook_attempts_total',
  'Requests to webhook endpoints. `unsent`: not sent, because of an error on our side.',
  { outcome: ['succeeded', 'failed', 'unsent'] },
);
const requests = createHistogram({
  name: 'parley_webhook_request_duration_seconds',
  help: 'Time of a request to a webhook endpoint.',
  labelNames: ['outcome'],
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
});
const waits = createHistogram({
  name: 'parley_webhook_commit_to_attempt_seconds',
  help: 'Time from the commit of an event to the first attempt of its delivery.',
  labelNames: [],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
}).with({});

interface Claimed {
  attempts: number;
  isReplay: boolean;
  restoreEpoch: number | null;
  ageSeconds: number;
}

/** How long a delivery has waited for its first attempt; undefined if it could not be sent earlier. */
export const waitOf = ({ hinderedMs }: EndpointState, { attempts: n, isReplay, restoreEpoch, ageSeconds }: Claimed) =>
  n === 1 && !isReplay && restoreEpoch === null && Date.now() - ageSeconds * 1_000 > hinderedMs
    ? ageSeconds
    : undefined;

export function attemptStarted(waitedSeconds: number | undefined, since: number): void {
  if (waitedSeconds !== undefined) waits.observe(waitedSeconds + (performance.now() - since) / 1_000);
}

export function attemptEnded(outcome: Attempt['outcome'], startedAt: number): void {
  attempts.inc({ outcome });
  requests.with({ outcome }).observe((performance.now() - startedAt) / 1_000);
}
