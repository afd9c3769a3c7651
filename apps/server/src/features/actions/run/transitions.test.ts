import { describe, expect, test } from 'vitest';
import { ActionSpec } from '../actions.contract.ts';
import { giveUp, nextTransition, type Transition } from './transitions.ts';
import type { RunAttempt } from './runs.contract.ts';

// Every way in which calls can end, one after the other, for every promise that an action makes.

type End = RunAttempt['end'];
const invokeEnds: End[] = ['unclear', null, 'not_sent', 'refused'];
const statusEnds: End[] = ['unclear', null, 'absent', 'pending'];
const deepest = 5;

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

interface Story {
  attempts: RunAttempt[];
  transition: Transition;
  /** When each was begun, and not before which moment it was to be. */
  now: number;
}

/** Goes on from here with each end that there is, and then by one of them until it is over. */
function tell(spec: ActionSpec, each: (story: Story) => void): void {
  const ends = (kind: 'invoke' | 'status') => (kind === 'invoke' ? invokeEnds : statusEnds);
  const go = (attempts: RunAttempt[], now: number) => {
    const deadline = new Date(now + timeoutMs);
    const run = { spec, attempts, deadline, completeBy: new Date(start + 86_400_000), error: null };
    const transition = nextTransition(run, now);
    each({ attempts, transition, now });
    if (transition.do === 'settle') return;
    if (attempts.length > 60) throw new Error('it never ends');
    const at = Math.max(now, transition.notBefore);
    // Beyond that it is always the same that happens, so that it is seen to end.
    const some =
      attempts.length < deepest
        ? ends(transition.do)
        : [attempts.findLast((one) => one.kind === transition.do)?.end ?? null];
    for (const end of some) {
      const attempt = { kind: transition.do, at: new Date(at).toISOString(), end, ms: 100, status: null, error: null };
      // What is always still pending goes on until the day is over.
      const took = attempts.length >= deepest && end === 'pending' ? 86_400_000 : 100;
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

  test('always ends, whatever comes, after a bounded number of calls', () => {
    let [ended, max] = [0, 0];
    tell(spec, ({ transition: move, attempts }) => {
      if (move.do !== 'settle') return;
      ended++;
      max = Math.max(max, attempts.length);
    });
    expect(ended).toBeGreaterThan(effect === 'at_most_once' ? 10 : 200);
    expect(max).toBeLessThanOrEqual(effect === 'reconcile' ? 60 : 5);
  });

  test('the first thing is to send it, at once', () => {
    const run = { spec, attempts: [], deadline: null, completeBy: null, error: null };
    expect(nextTransition(run, start)).toEqual({ do: 'invoke', notBefore: 0 });
  });

  test('is not sent again after a call that may have arrived, unless that is what was promised', () => {
    tell(spec, ({ transition: move, attempts }) => {
      if (move.do !== 'invoke') return;
      const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
      const inDoubt = attempts.slice(cleared + 1).some(mayHaveBeenSent);
      if (effect === 'at_most_once') expect(attempts.some(mayHaveBeenSent)).toBe(false);
      if (effect === 'reconcile' && risk === 'write') expect(inDoubt).toBe(false);
    });
  });

  test('a write that may have been carried out never ends as failed, and a read never as unknown', () => {
    tell(spec, ({ transition: move, attempts }) => {
      if (move.do !== 'settle') return;
      const cleared = attempts.findLastIndex(({ end }) => end === 'absent');
      const inDoubt = attempts.slice(cleared + 1).some(mayHaveBeenSent);
      expect(move.settlement.outcome).toBe(risk === 'write' && inDoubt ? 'unknown' : 'failed');
      expect(move.settlement.outcome).toBe(giveUp({ spec, attempts, error: null }, '').outcome);
    });
  });

  test('each pause of a kind is longer than the one before', () => {
    const pausesIn: number[][] = [];
    tell(spec, ({ transition: move, attempts, now }) => {
      if (move.do === 'settle' || attempts.length === 0) return;
      const same = attempts.every(({ kind, end }) => kind === move.do && end !== 'absent' && end !== 'pending');
      if (same) (pausesIn[attempts.length] ??= []).push(move.notBefore - now);
    });
    const shortest = pausesIn.flatMap((some) => (some ? [Math.min(...some)] : []));
    expect(shortest).toEqual(shortest.toSorted((a, b) => a - b));
  });
});

test('asked only after the deadline, with a second for clocks that differ', () => {
  const spec = specOf('reconcile', 'write');
  const deadline = new Date(start + timeoutMs);
  const last = { n: 1, kind: 'invoke' as const, at: new Date(start).toISOString(), end: 'unclear' as const, ms: 5 };
  const attempts = [{ ...last, status: 500, error: null, hint: '', responseHash: null }];
  const transition = nextTransition({ spec, attempts, deadline, completeBy: null, error: null }, start + 10);
  expect(transition).toEqual({ do: 'status', notBefore: deadline.getTime() + 1_000 });
});
