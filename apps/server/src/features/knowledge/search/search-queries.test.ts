import { expect, test } from 'vitest';
import { queriesFor } from './search.store.ts';

test('asks for combinations of a few terms, the most valuable first', () => {
  const terms = [
    { lexeme: 'refund', worth: 2 },
    { lexeme: 'day', worth: 0.5 },
  ];
  expect(queriesFor(terms)).toEqual({
    areOrdered: true,
    queries: [
      { worth: 2.5, query: "('refund' & 'day')" },
      { worth: 2, query: "('refund' & !'day')" },
      { worth: 0.5, query: "(!'refund' & 'day')" },
    ],
  });
});

test('asks for combinations of the same worth at once, because their order is that of the documents', () => {
  const terms = ['a', 'b', 'c'].map((lexeme) => ({ lexeme, worth: 0.1 }));
  const { queries } = queriesFor(terms);
  expect(queries.map(({ query }) => query.split(' | ').length)).toEqual([1, 3, 3]);
});

test('asks for each of many terms', () => {
  const terms = ['a', 'b', 'c', 'd', "it's"].map((lexeme) => ({ lexeme, worth: 1 }));
  const { queries, areOrdered } = queriesFor(terms);
  expect(areOrdered).toBe(false);
  expect(queries.map(({ query }) => query)).toEqual(["'a'", "'b'", "'c'", "'d'", "'it''s'"]);
});
