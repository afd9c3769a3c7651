import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInFlightPool } from './in-flight.ts';

/** Calls that end when they are told to. */
function someLines() {
  const ending = new Map<number, () => void>();
  let [given, now] = [0, 0];
  const inFlight = createInFlightPool<number, number>(
    (item) => new Promise((done) => ending.set(item, () => done(item))),
    (count) => void (given += count),
    () => now,
  );
  const end = async (...items: number[]) => {
    for (const item of items) ending.get(item)?.();
    await tick();
  };
  const pass = (ms: number) => void (now += ms);
  return { lines: inFlight, end, pass, given: () => given, begun: () => [...ending.keys()] };
}

test('what ends after others were settled is settled next: no result is lost', async () => {
  const { lines: inFlight, end, given } = someLines();
  expect(inFlight.add([1, 2, 3], 3, 3)).toBe(0);
  await end(1);
  expect(inFlight.settle()).toEqual([1]);
  expect(given()).toBe(1);
  await end(2, 3);
  expect(inFlight.settle()).toEqual([2, 3]);
  expect([given(), inFlight.isIdle()]).toEqual([3, true]);
});

test('what waits for a line is begun when one is free, and given back if that takes too long', async () => {
  const { lines: inFlight, end, begun, given } = someLines();
  expect(inFlight.add([1, 2, 3, 4], 2, 2)).toBe(0);
  expect(begun()).toEqual([1, 2]);
  await end(1);
  expect(begun()).toEqual([1, 2, 3]);
  expect(inFlight.takeBack({ all: false })).toEqual([]);
  expect(inFlight.takeBack({ all: true })).toEqual([4]);
  await end(2, 3);
  expect(begun(), 'what was given back is not begun').toEqual([1, 2, 3]);
  inFlight.settle();
  expect(given()).toBe(2);
});

test('what waited for more than two seconds is not begun by a line that is free at last', async () => {
  const { lines: inFlight, end, pass, begun } = someLines();
  inFlight.add([1, 2], 1, 1);
  pass(2_001);
  await end(1);
  expect(begun()).toEqual([1]);
  expect(inFlight.takeBack({ all: false })).toEqual([2]);
});

test('lines that are one too many end, and those that were not needed are said so', async () => {
  const { lines: inFlight, end, begun } = someLines();
  expect(inFlight.add([1], 3, 3), 'one item needs one line').toBe(2);
  inFlight.add([2, 3], 2, 1);
  expect(begun(), 'one line is all that is left').toEqual([1]);
  for (const item of [1, 2, 3]) await end(item);
  expect(begun()).toEqual([1, 2, 3]);
  expect(inFlight.open()).toBe(0);
});

test('left while calls are on their way: each gives its line back when it ends', async () => {
  const { lines: inFlight, end, given } = someLines();
  inFlight.add([1, 2], 2, 2);
  inFlight.leave();
  expect(given()).toBe(0);
  await end(1, 2);
  expect(given()).toBe(2);
});
