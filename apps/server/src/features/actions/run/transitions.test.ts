import { describe, expect, test } from 'vitest';
import { ActionSpec } from '../actions.contract.ts';
import { countLeftOut, failureSettlement, nextTransition, withoutMiddlePolls, type Transition } from './transitions.ts';
import type { RunAttempt } from './runs.contract.ts';

// Simulates every sequence of call results for every combination of effect and risk.

type End = RunAttempt['end'];
const invokeEnds: End[] = ['unclear', null, 'not_sent', 'refused'];
const statusEnds: End[] = ['unclear', null, 'absent', 'pending'];
const maxDepth = 5;

const specOf = (effect: ActionSpec['effect'], risk: ActionSpec['risk']) =>
  ActionSpec.parse({
    id: 'act_01h45ytscbebyvny4gc8cr8ma2',
    name: 'do_it',
    title: 'Do it',
    webhookId: 'whk_01h45ytscbebyvny4gc8cr8ma2',
    effect,
    risk,
  });

const start = Date.parse('2026-01-01T00:00:00Z');
const timeoutMs = 8_000;

interface Branch {
  attempts: RunAttempt[];
  transition: Transition;
  now: number;
}

/** Branches on every possible result up to `maxDepth`, then repeats the last result until the run settles. */
function forEachBranch(spec: ActionSpec, each: (branch: Branch) => void): void {
  const ends = (kind: 'invoke' | 'status') => (kind === 'invoke' ? invokeEnds : statusEnds);
  const go = (attempts: RunAttempt[], now: number) => {
    const deadline = new Date(now + timeoutMs);
    const run = { spec, attempts, deadline, completeBy: new Date(start + 86_400_000), error: null };
    const transition = nextTransition(run, now);
    each({ attempts, transition, now });
    if (transition.do === 'settle') return;
    if (attempts.length > 60) throw new Error('the run never settles');
    const at = Math.max(now, transition.notBefore);
    // Beyond the maximum depth, repeat the last result of this kind.
    const nextEnds =
      attempts.length < maxDepth
        ? ends(transition.do)
        : [attempts.findLast((one) => one.kind === transition.do)?.end ?? null];
    for (const end of nextEnds) {
      const attempt = { kind: transition.do, at: new Date(at).toISOString(), end, ms: 100, status: null, error: null };
      // Skip a day, so that a run that stays pending reaches `completeBy`.
      const took = attempts.length >= maxDepth && end === 'pending' ? 86_400_000 : 100;
      go([...attempts, { ...attempt, n: attempts.length + 1, hint: '', responseHash: null }], at + took);
    }
  };
  go([], start);
}

const mayHaveBeenSent = ({ kind, end }: RunAttempt) => kind === 'invoke' && (end === null || end === 'unclear');
const effects = ['idempotent', 'reconcile', 'at_most_once'] as const;
const risks = ['read', 'write'] as const;
const all = effects.flatMap((effect) => risks.map((risk) => ({ effect, risk })));

describe.each(all)('$effect, $risk', ({ effect, risk }) => {
  const spec = specOf(effect, risk);

  test('settles after a bounded number of calls', () => {
    let [ended, max] = [0, 0];
    forEachBranch(spec, ({ transition, attempts }) => {
      if (transition.do !== 'settle') return;
      ended++;
      max = Math.max(max, attempts.length);
    });
    expect(ended).toBeGreaterThan(effect === 'at_most_once' ? 10 : 200);
    expect(max).toBeLessThanOrEqual(effect === 'reconcile' ? 60 : 5);
  });

  test('sends the first request immediately', () => {
    const run = { spec, attempts: [], deadline: null, completeBy: null, error: null };
    expect(nextTransition(run, start)).toEqual({ do: 'invoke', notBefore: 0 });
  });

  test('does not resend after a call that may have arrived, unless the effect allows it', () => {
    forEachBranch(spec, ({ transition, attempts }) => {
      if (transition.do !== 'invoke') return;
      const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
      const inDoubt = attempts.slice(cleared + 1).some(mayHaveBeenSent);
      if (effect === 'at_most_once') expect(attempts.some(mayHaveBeenSent)).toBe(false);
      if (effect === 'reconcile' && risk === 'write') expect(inDoubt).toBe(false);
    });
  });

  test('settles as unknown only for writes that may have been carried out', () => {
    forEachBranch(spec, ({ transition, attempts }) => {
      if (transition.do !== 'settle') return;
      const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
      const inDoubt = attempts.slice(cleared + 1).some(mayHaveBeenSent);
      expect(transition.settlement.outcome).toBe(risk === 'write' && inDoubt ? 'unknown' : 'failed');
      expect(transition.settlement.outcome).toBe(failureSettlement({ spec, attempts, error: null }, '').outcome);
    });
  });

  test('increases the delay with every retry', () => {
    const delaysByCount: number[][] = [];
    forEachBranch(spec, ({ transition, attempts, now }) => {
      if (transition.do === 'settle' || attempts.length === 0) return;
      const same = attempts.every(({ kind, end }) => kind === transition.do && end !== 'absent' && end !== 'pending');
      if (same) (delaysByCount[attempts.length] ??= []).push(transition.notBefore - now);
    });
    const shortest = delaysByCount.flatMap((some) => (some ? [Math.min(...some)] : []));
    expect(shortest).toEqual(shortest.toSorted((a, b) => a - b));
  });
});

test('sends the status request one second after the deadline, to allow for clock skew', () => {
  const spec = specOf('reconcile', 'write');
  const deadline = new Date(start + timeoutMs);
  const last = { n: 1, kind: 'invoke' as const, at: new Date(start).toISOString(), end: 'unclear' as const, ms: 5 };
  const attempts = [{ ...last, status: 500, error: null, hint: '', responseHash: null }];
  const transition = nextTransition({ spec, attempts, deadline, completeBy: null, error: null }, start + 10);
  expect(transition).toEqual({ do: 'status', notBefore: deadline.getTime() + 1_000 });
});

test('polls a backend that stays pending every five minutes at last, and keeps ten of the attempts', () => {
  const spec = specOf('reconcile', 'write');
  const attemptAt = (n: number, kind: 'invoke' | 'status', at: number, end: End): RunAttempt => ({
    n,
    kind,
    at: new Date(at).toISOString(),
    end,
    ms: 100,
    status: null,
    error: null,
    hint: '',
    responseHash: null,
  });
  const run = { spec, deadline: new Date(start), completeBy: new Date(start + 86_400_000), error: null };
  let attempts = [attemptAt(1, 'invoke', start, 'unclear')];
  const delays: number[] = [];
  let [now, n] = [start, 1];
  for (;;) {
    const transition = nextTransition({ ...run, attempts }, now);
    if (transition.do === 'settle') break;
    delays.push(transition.notBefore - now);
    now = transition.notBefore + 100;
    attempts = withoutMiddlePolls([...attempts, attemptAt(++n, transition.do, transition.notBefore, 'pending')]);
    expect(attempts.length).toBeLessThanOrEqual(11);
  }
  expect(delays.slice(1, 9)).toEqual([10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1_000));
  expect(n - 1).toBe(293); // polls in a day
  expect(now).toBe(start + 86_400_000 + 100);
  expect(attempts.map((one) => one.n)).toEqual([1, 2, 3, 4, 5, 6, n - 4, n - 3, n - 2, n - 1, n]);
  expect(countLeftOut(attempts)).toBe(n - 11);
});
