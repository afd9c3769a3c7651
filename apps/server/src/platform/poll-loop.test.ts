import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pollLoop } from './poll-loop.ts';

test('runs an item leased while the previous one with the same key is finishing, one at a time, before its lease expires', async () => {
  const waiting = [['a'], ['a'], ['a', 'b']];
  const [worked, atOnce]: [string[], number[]] = [[], []];
  let busy = 0;
  const taking = pollLoop<string>({
    max: 10,
    everyMs: 60_000, // no poll without a wake
    lease: async () => waiting.shift() ?? [],
    keyOf: (key) => key,
    work: async (key) => {
      if (key === 'a') atOnce.push(++busy);
      await sleep(30);
      if (key === 'a') busy--;
      worked.push(key);
    },
    onError: (error) => {
      throw error;
    },
  });
  await expect.poll(() => worked.toSorted()).toEqual(['a', 'a', 'a', 'b']);
  expect(atOnce, 'one at a time per key').toEqual([1, 1, 1]);
  await taking.stop();
});
