import { expect, test } from 'vitest';
import { labelOf, parseValue, typeOf } from './attribute-types.ts';

test('recognises the type of a stored value', () => {
  expect([true, 12.5, 'Oslo', '2027-01-31', '2027-01-31T09:30:00.000Z', '2027-99-99', ''].map(typeOf)).toEqual([
    'boolean',
    'number',
    'text',
    'date',
    'date',
    'text',
    'text',
  ]);
});

test('parses what was typed, or returns undefined if it does not fit', () => {
  expect(parseValue('number', ' 1e3 ')).toBe(1_000);
  expect(parseValue('number', 'twelve')).toBeUndefined();
  expect(parseValue('number', '')).toBeUndefined();
  expect(parseValue('date', '2027-01-31')).toBe('2027-01-31');
  expect(parseValue('date', 'tomorrow')).toBeUndefined();
  expect(parseValue('boolean', 'false')).toBe(false);
  expect(parseValue('text', ' Oslo ')).toBe('Oslo');
});

test('shows values as people write them', () => {
  expect([true, 12_000, '2027-01-31T09:30:00.000Z', 'Oslo'].map(labelOf)).toEqual([
    'Yes',
    '12,000',
    '2027-01-31 09:30 UTC',
    'Oslo',
  ]);
});
