import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { layoutData } from './layout-data.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = (path: string) => new URL(path, 'https://portal.example');
const poll = { currentUrl: at('/bots'), nextUrl: at('/bots') };
const navigation = { currentUrl: at('/bots'), nextUrl: at('/insights') };
const serverLoader = () => Promise.resolve('profile');

test('does not reload with a poll, however old the data is', () => {
  const { shouldRevalidate } = layoutData();
  vi.advanceTimersByTime(60_000);
  expect(shouldRevalidate(poll)).toBe(false);
});

test('reloads on navigation after 5 s, each time React Router asks, until it has loaded', async () => {
  const { shouldRevalidate, clientLoader } = layoutData();
  expect(shouldRevalidate(navigation)).toBe(false);
  vi.advanceTimersByTime(5_001);
  expect([shouldRevalidate(navigation), shouldRevalidate(navigation)]).toEqual([true, true]);
  await clientLoader({ serverLoader });
  expect(shouldRevalidate(navigation)).toBe(false);
});

test('reloads after an action, also if the first attempt fails', async () => {
  const { shouldRevalidate, clientLoader, expire } = layoutData();
  expire();
  await expect(clientLoader({ serverLoader: () => Promise.reject(new TypeError('offline')) })).rejects.toThrow();
  expect(shouldRevalidate(poll)).toBe(true);
  expect(await clientLoader({ serverLoader })).toBe('profile');
  expect(shouldRevalidate(poll)).toBe(false);
});
