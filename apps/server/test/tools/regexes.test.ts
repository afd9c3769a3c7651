import { expect, test } from 'vitest';
import { patternsIn } from '../../../../tools/regex-patterns.ts';

const patternsOf = (text: string) => patternsIn('a.ts', text).found.map(({ pattern, flags }) => `/${pattern}/${flags}`);
const unknownIn = (text: string) => patternsIn('a.ts', text).unknown;

test('finds literals, and patterns built from constants of the same file', () => {
  expect(patternsOf('const a = /x+/g; z.string().regex(/y/);')).toEqual(['/x+/g', '/y/']);
  const built =
    "const word = '[a-z]+';\nconst two = `${word} ${word}`;\nexport const it = new RegExp(`^${two}$`, 'iu');";
  expect(patternsOf(built)).toEqual(['/^[a-z]+ [a-z]+$/iu']);
  expect(patternsOf("text.match('(a+)+$')")).toEqual(['/(a+)+$/g']);
});

test.each([
  ['from input', 'export const find = (word: string) => new RegExp(`^${word}$`);'],
  ['from a variable that changes', "let word = 'a';\nnew RegExp(word);"],
  ['from an imported constant', "import { word } from './b.ts';\nnew RegExp(word);"],
  ['from what a function returns', "const word = ['a', 'b'].join('|');\nnew RegExp(`(${word})`);"],
  ['with unknown flags', "new RegExp('a', flags);"],
  ['without new', 'RegExp(word);'],
  ['through the global object', 'new globalThis.RegExp(word);'],
  ['by match', 'text.match(`^${word}`);'],
])('reports the line of a regular expression that is built %s', (_how, text) => {
  expect(unknownIn(text)).toEqual([expect.stringMatching(/^a\.ts:\d$/)]);
});
