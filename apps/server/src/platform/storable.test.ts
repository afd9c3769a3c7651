import { expect, test } from 'vitest';
import { isStorable, isTooDeep, storable, storableText } from './storable.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('removes null characters from text and replaces unpaired surrogates', () => {
  expect(storableText('a\0b')).toBe('ab');
  expect(storableText('\uD83D\uDE00 \uD800')).toBe('😀 \uFFFD');
});

test('cleans nested values and keeps a field named __proto__', () => {
  const value: unknown = JSON.parse('{"a\\u0000":["\\ud800",1,null,true],"__proto__":{"x":"\\\\u0000"}}');
  expect(JSON.stringify(storable(value))).toBe('{"a":["\uFFFD",1,null,true],"__proto__":{"x":"\\\\u0000"}}');
  expect(isStorable(value)).toBe(false);
  expect(isStorable(storable(value))).toBe(true);
});

test('detects 100,000 levels of nesting without overflowing the stack', () => {
  expect(isTooDeep(nested(40))).toBe(false);
  expect(isTooDeep(nested(42))).toBe(true);
  expect(isTooDeep(nested(100_000))).toBe(true);
  expect(isStorable(nested(100_000))).toBe(false);
});
