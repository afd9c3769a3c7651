import { expect, onTestFinished, test, vi } from 'vitest';
import { shareCheck } from './shared-check.ts';

test('shares one check for a second, then notices a failure and a recovery, even if the first check never ends', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const results = [() => new Promise<string>(() => {}), () => Promise.reject(new Error('down')), async () => 'up'];
  const check = shareCheck(() => results.shift()!());
  const hanging = check();
  vi.advanceTimersByTime(999);
  expect(check()).toBe(hanging);
  vi.advanceTimersByTime(1);
  await expect(check()).rejects.toThrow('down');
  await expect(check()).rejects.toThrow('down');
  vi.advanceTimersByTime(1_000);
  await expect(check()).resolves.toBe('up');
});
