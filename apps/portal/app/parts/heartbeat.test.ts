import { afterEach, expect, test, vi } from 'vitest';
import { idleAfterMs, startHeartbeat } from './heartbeat.ts';

afterEach(() => void vi.useRealTimers());

test('beats every minute until there was no input for 15 minutes, and again with the next input', () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  const beat = vi.fn<() => void>();
  const stop = startHeartbeat(page, beat);
  expect(beat).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10 * 60_000);
  page.dispatchEvent(new Event('keydown'));
  vi.advanceTimersByTime(idleAfterMs);
  expect(beat).toHaveBeenCalledTimes(26);
  vi.advanceTimersByTime(60 * 60_000);
  expect(beat).toHaveBeenCalledTimes(26);
  page.dispatchEvent(new Event('pointermove'));
  expect(beat).toHaveBeenCalledTimes(27);
  vi.advanceTimersByTime(60_000);
  expect(beat).toHaveBeenCalledTimes(28);
  stop();
  vi.advanceTimersByTime(60_000);
  page.dispatchEvent(new Event('keydown'));
  expect(beat).toHaveBeenCalledTimes(28);
});
