import { expect, test } from 'vitest';
import { hasFractions, hasValues, shortDay } from './numbers.ts';

test('a period of zeros or gaps has no data', () => {
  expect(hasValues([])).toBe(false);
  expect(hasValues([0, null, undefined, 0])).toBe(false);
  expect(hasValues([0, 0.01])).toBe(true);
});

test('an axis of counts has no fractions', () => {
  expect(hasFractions([1, 2, null])).toBe(false);
  expect(hasFractions([1, 2.5])).toBe(true);
});

test('days are short and in UTC, whatever the time zone of the browser', () => {
  expect(shortDay('2026-11-18')).toBe('18 Nov');
  expect(shortDay('2026-01-01T23:59:59Z')).toBe('1 Jan');
  expect(shortDay('not a day')).toBe('not a day');
});
