import { expect, test } from 'vitest';
import { splitText } from './split-text.ts';

test('a text within the limit is one part', () => {
  expect(splitText('short', 100)).toEqual(['short']);
});

test('a longer text is cut before headings, and nothing of it is lost', () => {
  const sections = Array.from({ length: 40 }, (_, n) => `## Section ${n}\n\n${'word '.repeat(30)}\n`);
  const text = sections.join('');
  const parts = splitText(text, 1_000);
  expect(parts.join('')).toBe(text);
  expect(parts.every((part) => part.length <= 1_000 && part.startsWith('## Section'))).toBe(true);
});

test('a text without any gap is cut all the same', () => {
  const text = 'x'.repeat(2_500);
  expect(splitText(text, 1_000).map((part) => part.length)).toEqual([1_000, 1_000, 500]);
});
