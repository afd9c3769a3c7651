import { expect, test } from 'vitest';
import { assertExpiresLater, warnAt } from './api-keys.service.ts';

const now = new Date('2026-11-14T12:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const day = 86_400_000;

test('accepts an expiry in the future or none, and rejects the current time', () => {
  expect(() => assertExpiresLater(null, now)).not.toThrow();
  expect(() => assertExpiresLater(later(1), now)).not.toThrow();
  expect(() => assertExpiresLater(now, now)).toThrow();
});

test('warns a week before expiry, or half-way when less than two weeks are left', () => {
  expect(warnAt(later(30 * day), now)).toEqual(later(23 * day));
  expect(warnAt(later(4 * day), now)).toEqual(later(2 * day));
});
