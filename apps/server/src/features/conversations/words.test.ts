import { expect, test } from 'vitest';
import { wantedWords, wordsOf } from './words.ts';

test('capitals, accents and punctuation are folded; single letters are left out', () => {
  expect(wordsOf('Où est ma COMMANDE n° 4711-B? Straße, Łódź, ﬁn.')).toEqual([
    'ou',
    'est',
    'ma',
    'commande',
    '4711',
    'strasse',
    'lodz',
    'fin',
  ]);
});

test('an address is a word of its own, and so are its parts', () => {
  expect(wordsOf('Write to <Anna.Müller@Example.com>.')).toEqual([
    'anna.muller@example.com',
    'write',
    'to',
    'anna',
    'muller',
    'example',
    'com',
  ]);
});

test('at most 200 words of a text, each at most 40 characters, each once', () => {
  const many = Array.from({ length: 500 }, (_, n) => `word${n} word${n}`).join(' ');
  expect(wordsOf(many)).toHaveLength(200);
  expect(wordsOf('a'.repeat(64))).toEqual(['a'.repeat(40)]);
});

test('a query is all its words, and the last one may be unfinished', () => {
  expect(wantedWords('Refund for Órd')).toEqual({ words: ['refund', 'for'], beginning: 'ord' });
  expect(wantedWords('anna@example.com')).toEqual({ words: [], beginning: 'anna@example.com' });
  expect(wantedWords('refund anna@example.com')).toEqual({ words: ['refund'], beginning: 'anna@example.com' });
  expect(wantedWords('anna@example.com ref')).toEqual({ words: ['anna@example.com'], beginning: 'ref' });
  expect(wantedWords('user-4711')).toEqual({ words: ['user'], beginning: '4711' });
  expect(wantedWords('refund refund')).toEqual({ words: [], beginning: 'refund' });
  for (const nothing of ['', ' ? ', 'a']) expect(wantedWords(nothing)).toBeUndefined();
});
