import { expect, test, vi } from 'vitest';
import { createRefreshing } from './refreshing.ts';

test('8 at once are one refresh, and whoever comes late with the old token gets the same pair for half a minute', async () => {
  let now = 0;
  const refresh = vi.fn(async (token: string) => ({ token, nth: refresh.mock.calls.length }));
  const renew = createRefreshing(refresh, () => now);
  const first = await Promise.all(Array.from({ length: 8 }, () => renew('old')));
  expect(new Set(first).size).toBe(1);
  now = 29_999;
  expect(await renew('old')).toBe(first[0]);
  expect(refresh).toHaveBeenCalledTimes(1);
  now = 30_000;
  expect((await renew('old')).nth).toBe(2);
});

test('one person’s refresh is nobody else’s, and one that failed on the way is tried again', async () => {
  let isUp = false;
  const renew = createRefreshing(async (token: string) => {
    if (!isUp) throw new Error('no line');
    return token;
  });
  await expect(renew('ada')).rejects.toThrow('no line');
  isUp = true;
  expect(await Promise.all([renew('ada'), renew('bob')])).toEqual(['ada', 'bob']);
});
