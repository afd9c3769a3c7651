import { expect, test } from 'vitest';
import { isStorable, isTooDeep, storable, storableText } from './storable.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('a text loses its zero emails, and half emails become a sign for one', () => {
  expect(storableText('a\0b')).toBe('ab');
  expect(storableText('\uD83D\uDE00 \uD800')).toBe('😀 \uFFFD');
});

test('a value is cleaned through and through, and keeps a field that is called __proto__', () => {
  const value: unknown = JSON.parse('{"a\\u0000":["\\ud800",1,null,true],"__proto__":{"x":"\\\\u0000"}}');
  expect(JSON.stringify(storable(value))).toBe('{"a":["\uFFFD",1,null,true],"__proto__":{"x":"\\\\u0000"}}');
  expect(isStorable(value)).toBe(false);
  expect(isStorable(storable(value))).toBe(true);
});

test('a hundred thousand levels are too deep, and are found out without going there', () => {
  expect(isTooDeep(nested(40))).toBe(false);
  expect(isTooDeep(nested(42))).toBe(true);
  expect(isTooDeep(nested(100_000))).toBe(true);
  expect(isStorable(nested(100_000))).toBe(false);
});
