import { expect, test } from 'vitest';
import type { Candidate } from './search.store.ts';
import { isAnswer, type Match } from './ranking.ts';

test('a token that no chunk has is a sign of another topic among many chunks, and chance among few', () => {
  const found = { lexemes: ['charg'], config: null, weight: 1, chunks: 1, rarity: 1 };
  const concepts = [
    { token: 'temperature', rarity: 3, alternatives: [] },
    { token: 'charge', rarity: 1, alternatives: [found] },
  ];
  const question = (total: number) => ({ concepts, total, config: 'english', expected: [] });
  const match = (similarity?: number): Match[] => [
    { candidate: {} as Candidate, coverage: 0.2, found: 1, tokens: ['charge'], score: 0.2, similarity },
  ];
  expect(isAnswer(question(6), match(0.58), 0.65)).toBe(true);
  expect(isAnswer(question(500), match(0.58), 0.65)).toBe(false);
  expect(isAnswer(question(6), match(0.38), 0.65), 'not similar').toBe(false);
  expect(isAnswer(question(6), match(), 0.65), 'without vectors nothing confirms the topic').toBe(false);
});
