import { array, assert, constantFrom, oneof, property, tuple } from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { maxProgramSize, estimateProgramSize } from './patterns.ts';

// Random patterns of every kind. Some are invalid.
const atoms = [
  'a',
  '.',
  '\\d',
  '\\p{L}',
  '\\pN',
  '[a-z]',
  '[]x]',
  '[^]x]',
  '[\\]x(]',
  '[{2}]',
  '\\{',
  '{',
  '}',
  ')',
  '(',
  '^',
  '$',
  '(?i)',
  '(?)',
  '(?-s)',
  '',
];
const repeats = ['', '', '*', '+?', '?', '{3}', '{2,9}', '{4,}', '{0}', '{,3}', '{2'];
const atom = tuple(constantFrom(...atoms), constantFrom(...repeats)).map((parts) => parts.join(''));
const run = array(atom, { maxLength: 4 }).map((parts) => parts.join(''));
const group = tuple(
  constantFrom('(', '(?:', '(?i)(', '(?P<n>'),
  run,
  constantFrom('|', ''),
  run,
  constantFrom(...repeats),
).map(([open, one, or, two, repeat]) => `${open}${one}${or}${two})${repeat}`);
const patterns = array(oneof(run, group), { maxLength: 4 }).map((parts) => parts.join(''));

test('never underestimates the program size', () => {
  let compiled = 0;
  assert(
    property(patterns, (pattern) => {
      if (estimateProgramSize(pattern) > maxProgramSize) return;
      let size = 0;
      try {
        size = RE2JS.compile(pattern).programSize();
      } catch {
        return; // not a valid pattern
      }
      compiled++;
      expect(size, pattern).toBeLessThanOrEqual(estimateProgramSize(pattern));
    }),
    { numRuns: 20_000, seed: 1 },
  );
  expect(compiled).toBeGreaterThan(3_000);
});

test('keeps common form patterns far below the limit', () => {
  for (const pattern of ['^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$', '^\\+?[0-9 ]{6,20}$', '^A-\\d{4,10}$'])
    expect(estimateProgramSize(pattern)).toBeLessThan(maxProgramSize / 10);
});
