import { expect, test } from 'vitest';
import { snoozeChoices } from './snooze.ts';

const monday = (now: Date) => snoozeChoices.at(-1)!.until(now);

test('Monday is the next one, also on a Sunday and on a Monday', () => {
  for (const [year, month, day] of [
    [2026, 10, 15],
    [2026, 10, 16],
    [2026, 10, 18],
  ] as const) {
    const now = new Date(year, month, day, 14);
    expect(monday(now).getDay()).toBe(1);
    expect(monday(now).getTime()).toBeGreaterThan(now.getTime());
    expect(monday(now).getTime() - now.getTime()).toBeLessThanOrEqual(7 * 86_400_000);
  }
});
