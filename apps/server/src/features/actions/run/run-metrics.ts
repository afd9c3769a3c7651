import { createHistogram } from '../../../platform/metrics/histogram.ts';
import { createCounter } from '../../../platform/metrics/instruments.ts';
import type { Run } from './runs.store.ts';

const runs = createCounter(
  'parley_action_runs_total',
  'Ended action runs. `unknown`: the backend may have done it; `reconciled`: this became known later.',
  { outcome: ['succeeded', 'failed', 'unknown', 'reconciled', 'declined', 'expired', 'cancelled'] },
);
const durations = createHistogram({
  name: 'parley_action_duration_seconds',
  help: 'Time from the confirmation of an action, or its proposal if none is needed, to its outcome.',
  labelNames: ['outcome'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600, 86_400],
});

/** Of an attempted run: how long the tenant's backend and we took, without the time that the visitor decided. */
export function runEnded({ state, attempts, confirmedAt, createdAt }: Run, now: Date): void {
  runs.inc({ outcome: state });
  if (attempts.length === 0 || state === 'reconciled') return;
  durations.with({ outcome: state }).observe((now.getTime() - (confirmedAt ?? createdAt).getTime()) / 1_000);
}
