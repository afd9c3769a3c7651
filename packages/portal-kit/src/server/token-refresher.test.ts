import { expect, test, vi } from 'vitest';
import { createTokenRefresher } from './token-refresher.ts';

test('refreshes once for 8 concurrent requests and returns the same pair for 30 s', async () => {
  let now = 0;
  const refresh = vi.fn(async (token: string) => ({ token, nth: refresh.mock.calls.length }));
  const refreshOnce = createTokenRefresher(refresh, () => now);
  const first = await Promise.all(Array.from({ length: 8 }, () => refreshOnce('old')));
  expect(new Set(first).size).toBe(1);
  now = 29_999;
  expect(await refreshOnce('old')).toBe(first[0]);
  expect(refresh).toHaveBeenCalledTimes(1);
  now = 30_000;
  expect((await refreshOnce('old')).nth).toBe(2);
});

test('keeps refreshes of different tokens apart and retries failed ones', async () => {
  let isUp = false;
  const refreshOnce = createTokenRefresher(async (token: string) => {
    if (!isUp) throw new Error('connection lost');
    return token;
  });
  await expect(refreshOnce('ada')).rejects.toThrow('connection lost');
  isUp = true;
  expect(await Promise.all([refreshOnce('ada'), refreshOnce('bob')])).toEqual(['ada', 'bob']);
});
