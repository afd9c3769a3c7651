import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pollLoop } from './poll-loop.ts';

test('what is taken on while its like is just ending is worked on next, one at a time, and not left to its lease', async () => {
  const waiting = [['a'], ['a'], ['a', 'b']];
  const [worked, atOnce]: [string[], number[]] = [[], []];
  let busy = 0;
  const taking = pollLoop<string>({
    max: 10,
    everyMs: 60_000, // nobody looks again by himself
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
  expect(atOnce, 'never two of one kind').toEqual([1, 1, 1]);
  await taking.stop();
});
