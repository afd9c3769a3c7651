import { expect, test } from 'vitest';
import { parseQuery, tokensOf } from './search-tokens.ts';

test('folds case, accents and punctuation, and drops single characters', () => {
  expect(tokensOf('Où est ma COMMANDE n° 4711-B? Straße, Łódź, ﬁn.')).toEqual([
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

test('indexes an email address as a whole and by its parts', () => {
  expect(tokensOf('Write to <Anna.Müller@Example.com>.')).toEqual([
    'anna.muller@example.com',
    'write',
    'to',
    'anna',
    'muller',
    'example',
    'com',
  ]);
});

test('returns at most 200 unique tokens of at most 40 characters', () => {
  const many = Array.from({ length: 500 }, (_, n) => `token${n} token${n}`).join(' ');
  expect(tokensOf(many)).toHaveLength(200);
  expect(tokensOf('a'.repeat(64))).toEqual(['a'.repeat(40)]);
});

test('parses a query into complete tokens and a last prefix', () => {
  expect(parseQuery('Refund for Órd')).toEqual({ tokens: ['refund', 'for'], prefix: 'ord' });
  expect(parseQuery('anna@example.com')).toEqual({ tokens: [], prefix: 'anna@example.com' });
  expect(parseQuery('refund anna@example.com')).toEqual({ tokens: ['refund'], prefix: 'anna@example.com' });
  expect(parseQuery('anna@example.com ref')).toEqual({ tokens: ['anna@example.com'], prefix: 'ref' });
  expect(parseQuery('user-4711')).toEqual({ tokens: ['user'], prefix: '4711' });
  expect(parseQuery('refund refund')).toEqual({ tokens: [], prefix: 'refund' });
  for (const nothing of ['', ' ? ', 'a']) expect(parseQuery(nothing)).toBeUndefined();
});
