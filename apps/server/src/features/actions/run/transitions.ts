import type { RunAttempt } from './runs.contract.ts';
import type { Run } from './runs.store.ts';
import type { Settlement } from './runs.ts';

// What comes next, by what the ledger says and what the action promises. Knows no clock, no database and no network, so
// that every case can be tried.

export type Transition = { do: 'invoke' | 'status'; notBefore: number } | { do: 'settle'; settlement: Settlement };

const pauses = { invoke: [500, 2_000, 8_000, 30_000], status: [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] };
const pendingMs = 10_000;
/** How long after its deadline a call may still be on its way in: clocks differ. */
const skewMs = 1_000;

/** Of a run that was sent at least once and has no clear end. */
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

/** Whether an earlier call may have been carried out. That your system has none of them clears them all. */
function isInDoubt(attempts: readonly RunAttempt[]): boolean {
  const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
  return invokesOf(attempts.slice(cleared + 1)).some(isUnclear);
}

const endedAt = ({ at, ms }: RunAttempt) => Date.parse(at) + (ms ?? 0);

function again(kind: 'invoke' | 'status', attempts: readonly RunAttempt[], otherwise: Settlement): Transition {
  const cleared = kind === 'status' ? attempts.findLastIndex((one) => one.kind === 'invoke') : -1;
  const made = attempts.slice(cleared + 1).filter((one) => one.kind === kind && one.end !== 'pending').length;
  const pause = pauses[kind][made - 1];
  const last = attempts.at(-1);
  if (pause === undefined || !last) return { do: 'settle', settlement: otherwise };
  return { do: kind, notBefore: endedAt(last) + pause };
}

export const notCarriedOut: Settlement = { state: 'failed', outcome: 'failed', reason: 'not_carried_out' };

/** Nothing can have changed by reading: that it was not found out is all there is to say. */
export function giveUp(run: Pick<Run, 'spec' | 'attempts' | 'error'>, reason: string): Settlement {
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
  const unreached = giveUp(run, last.end === 'refused' ? 'refused' : 'unreachable');
  if (!isUnclear(last)) return again('invoke', attempts, unreached);
  if (spec.effect === 'at_most_once') return { do: 'settle', settlement: giveUp(run, 'no_answer') };
  if (spec.effect === 'idempotent' || spec.risk === 'read') return again('invoke', attempts, giveUp(run, 'no_answer'));
  // Your system must not begin after the deadline, so from then on what it says of the call is final.
  return { do: 'status', notBefore: (run.deadline?.getTime() ?? 0) + skewMs };
}

function afterStatus(
  run: Pick<Run, 'spec' | 'attempts' | 'completeBy' | 'error'>,
  last: RunAttempt,
  now: number,
): Transition {
  const { attempts } = run;
  if (last.end === 'pending') {
    const isOver = run.completeBy !== null && now >= run.completeBy.getTime();
    if (isOver) return { do: 'settle', settlement: giveUp(run, 'no_completion') };
    return { do: 'status', notBefore: endedAt(last) + pendingMs };
  }
  if (last.end === 'absent') {
    const made = invokesOf(attempts).length;
    if (made > pauses.invoke.length) return { do: 'settle', settlement: notCarriedOut };
    return { do: 'invoke', notBefore: 0 };
  }
  return again('status', attempts, giveUp(run, 'status_unknown'));
}
