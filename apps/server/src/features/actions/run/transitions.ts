import type { RunAttempt } from './runs.contract.ts';
import type { Run } from './runs.store.ts';
import type { Settlement } from './runs.ts';

// Decides what a run does next from its attempts and the action's `effect`. Pure, so that every case can be tested.

export type Transition = { do: 'invoke' | 'status'; notBefore: number } | { do: 'settle'; settlement: Settlement };

const retryDelays = {
  invoke: [500, 2_000, 8_000, 30_000],
  status: [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000],
};
/** Between two status requests while the backend reports `pending`. The last one repeats until `completeBy`. */
const pendingDelays = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000];
/** Allowance for clock skew after the deadline of a call. */
const skewMs = 1_000;

/** The next transition of an unsettled run. */
export function nextTransition(
  run: Pick<Run, 'spec' | 'attempts' | 'deadline' | 'completeBy' | 'error'>,
  now: number,
): Transition {
  const { spec, attempts } = run;
  const last = attempts.at(-1);
  if (!last) return { do: 'invoke', notBefore: 0 };
  return last.kind === 'status' ? afterStatus(run, last, now) : afterInvoke(run, last, spec);
}

const isUnclear = ({ end }: RunAttempt) => end === null || end === 'unclear';
const invokesOf = (attempts: readonly RunAttempt[]) => attempts.filter(({ kind }) => kind === 'invoke');

/** Whether a call may have been carried out. `absent` from the backend clears all calls before it. */
function isInDoubt(attempts: readonly RunAttempt[]): boolean {
  const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
  return invokesOf(attempts.slice(cleared + 1)).some(isUnclear);
}

const endedAt = ({ at, ms }: RunAttempt) => Date.parse(at) + (ms ?? 0);

function retry(kind: 'invoke' | 'status', attempts: readonly RunAttempt[], settlement: Settlement): Transition {
  const cleared = kind === 'status' ? attempts.findLastIndex((one) => one.kind === 'invoke') : -1;
  const attemptCount = attempts.slice(cleared + 1).filter((one) => one.kind === kind && one.end !== 'pending').length;
  const delay = retryDelays[kind][attemptCount - 1];
  const last = attempts.at(-1);
  if (delay === undefined || !last) return { do: 'settle', settlement };
  return { do: kind, notBefore: endedAt(last) + delay };
}

/** Grows with each `pending` in a row. Counted by number, because some are not kept. */
function pendingDelayMs(attempts: readonly RunAttempt[], last: RunAttempt): number {
  const before = attempts.findLast(({ end }) => end !== 'pending')?.n ?? 0;
  return pendingDelays[Math.min(last.n - before, pendingDelays.length) - 1] ?? 0;
}

/** Attempts kept of a long wait: so many at its start, and as many at its end. */
const keptPolls = 5;
/** Without the attempts in the middle of a long wait, which change nothing. Numbers stay, so that it shows how many. */
export function withoutMiddlePolls(attempts: readonly RunAttempt[]): RunAttempt[] {
  const polls = attempts.filter(({ end }) => end === 'pending');
  const dropped = new Set(polls.slice(keptPolls, Math.max(keptPolls, polls.length - keptPolls)));
  return attempts.filter((one) => !dropped.has(one));
}
export const countLeftOut = (attempts: readonly RunAttempt[]): number => (attempts.at(-1)?.n ?? 0) - attempts.length;

export const notCarriedOut: Settlement = { state: 'failed', outcome: 'failed', reason: 'not_carried_out' };

/** `unknown` for a write that may have been carried out, else `failed`: a read cannot have changed anything. */
export function failureSettlement(run: Pick<Run, 'spec' | 'attempts' | 'error'>, reason: string): Settlement {
  const isUnknown = run.spec.risk === 'write' && isInDoubt(run.attempts);
  return isUnknown
    ? { state: 'unknown', outcome: 'unknown', reason }
    : { state: 'failed', outcome: 'failed', reason, error: run.error };
}

function afterInvoke(
  run: Pick<Run, 'spec' | 'attempts' | 'deadline' | 'error'>,
  last: RunAttempt,
  spec: Run['spec'],
): Transition {
  const { attempts } = run;
  const unreached = failureSettlement(run, last.end === 'refused' ? 'refused' : 'unreachable');
  if (!isUnclear(last)) return retry('invoke', attempts, unreached);
  if (spec.effect === 'at_most_once') return { do: 'settle', settlement: failureSettlement(run, 'no_response') };
  if (spec.effect === 'idempotent' || spec.risk === 'read')
    return retry('invoke', attempts, failureSettlement(run, 'no_response'));
  // Backends must not start a call after its deadline, so from then on the status they report is final.
  return { do: 'status', notBefore: (run.deadline?.getTime() ?? 0) + skewMs };
}

function afterStatus(
  run: Pick<Run, 'spec' | 'attempts' | 'completeBy' | 'error'>,
  last: RunAttempt,
  now: number,
): Transition {
  const { attempts } = run;
  if (last.end === 'pending') {
    const completeBy = run.completeBy?.getTime() ?? Infinity;
    if (now >= completeBy) return { do: 'settle', settlement: failureSettlement(run, 'no_completion') };
    return { do: 'status', notBefore: Math.min(endedAt(last) + pendingDelayMs(attempts, last), completeBy) };
  }
  if (last.end === 'absent') {
    const attemptCount = invokesOf(attempts).length;
    if (attemptCount > retryDelays.invoke.length) return { do: 'settle', settlement: notCarriedOut };
    return { do: 'invoke', notBefore: 0 };
  }
  return retry('status', attempts, failureSettlement(run, 'status_unknown'));
}
