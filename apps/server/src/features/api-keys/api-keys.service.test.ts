import { expect, test } from 'vitest';
import { assertExpiresLater, warnAt } from './api-keys.service.ts';

const now = new Date('2026-11-14T12:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const day = 86_400_000;

test('a key may expire later or never, but not now', () => {
  expect(() => assertExpiresLater(null, now)).not.toThrow();
  expect(() => assertExpiresLater(later(1), now)).not.toThrow();
  expect(() => assertExpiresLater(now, now)).toThrow();
});

test('the warning comes a week before the end, or half-way when less than two weeks are left', () => {
  expect(warnAt(later(30 * day), now)).toEqual(later(23 * day));
  expect(warnAt(later(4 * day), now)).toEqual(later(2 * day));
});
