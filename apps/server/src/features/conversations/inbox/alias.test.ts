import { expect, test } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { aliasOf } from './alias.ts';

test('returns the same name for the same visitor', () => {
  const id = newId('visitor');
  expect(aliasOf(id)).toBe(aliasOf(id));
  expect(aliasOf('vis_01jd000000000000000000000a')).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
});

test('gives visitors of the same minute different names', () => {
  const names = new Set(Array.from({ length: 200 }, () => aliasOf(newId('visitor'))));
  expect(names.size).toBeGreaterThan(150);
});
