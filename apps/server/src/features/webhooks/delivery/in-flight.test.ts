import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInFlightPool } from './in-flight.ts';

/** A pool whose calls end when `end` is called. */
function aPool(until = Infinity) {
  const pending = new Map<number, () => void>();
  let [released, now] = [0, 0];
  const pool = createInFlightPool<number, number>(
    (item) => new Promise((done) => pending.set(item, () => done(item))),
    (count) => void (released += count),
    () => now >= until,
    () => now,
  );
  const end = async (...items: number[]) => {
    for (const item of items) pending.get(item)?.();
    await tick();
  };
  const advance = (ms: number) => void (now += ms);
  return { pool, end, advance, released: () => released, started: () => [...pending.keys()] };
}

test('does not lose results of calls that end after settle', async () => {
  const { pool, end, released } = aPool();
  expect(pool.add([1, 2, 3], 3, 3)).toBe(0);
  await end(1);
  expect(pool.settle()).toEqual([1]);
  expect(released()).toBe(1);
  await end(2, 3);
  expect(pool.settle()).toEqual([2, 3]);
  expect([released(), pool.isIdle()]).toEqual([3, true]);
});

test('starts queued items when a slot is free, and returns items that were not started', async () => {
  const { pool, end, started, released } = aPool();
  expect(pool.add([1, 2, 3, 4], 2, 2)).toBe(0);
  expect(started()).toEqual([1, 2]);
  await end(1);
  expect(started()).toEqual([1, 2, 3]);
  expect(pool.takeUnstarted({ all: false })).toEqual([]);
  expect(pool.takeUnstarted({ all: true })).toEqual([4]);
  await end(2, 3);
  expect(started(), 'returned items are not started').toEqual([1, 2, 3]);
  pool.settle();
  expect(released()).toBe(2);
});

test('does not start an item that waited for more than two seconds', async () => {
  const { pool, end, advance, started } = aPool();
  pool.add([1, 2], 1, 1);
  advance(2_001);
  await end(1);
  expect(started()).toEqual([1]);
  expect(pool.takeUnstarted({ all: false })).toEqual([2]);
});

test('starts nothing after its end, and returns what was queued', async () => {
  const { pool, end, advance, started } = aPool(1_000);
  pool.add([1, 2, 3], 1, 1);
  advance(999);
  await end(1);
  expect(started()).toEqual([1, 2]);
  advance(1);
  await end(2);
  expect(started()).toEqual([1, 2]);
  expect(pool.takeUnstarted({ all: false })).toEqual([3]);
});

test('closes slots above the limit, and reports slots that were not needed', async () => {
  const { pool, end, started } = aPool();
  expect(pool.add([1], 3, 3), 'one item needs one slot').toBe(2);
  pool.add([2, 3], 2, 1);
  expect(started(), 'only one slot is left').toEqual([1]);
  for (const item of [1, 2, 3]) await end(item);
  expect(started()).toEqual([1, 2, 3]);
  expect(pool.open()).toBe(0);
});

test('calls still in flight after detach release their slots when they end', async () => {
  const { pool, end, released } = aPool();
  pool.add([1, 2], 2, 2);
  pool.detach();
  expect(released()).toBe(0);
  await end(1, 2);
  expect(released()).toBe(2);
});
