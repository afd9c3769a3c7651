import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readCorpus } from '../../../eval/corpus.ts';
import { loadDocuments } from '../../../eval/load.ts';
import { askAll, figuresOf, floors, bars, type Result } from '../../../eval/measure.ts';
import { admin, aTenant, inside } from './harness.ts';

let results: Result[] = [];
beforeAll(async () => {
  const corpus = readCorpus();
  const { tenantId, botId } = await aTenant();
  const loaded = await inside(tenantId, ({ tx }) => loadDocuments(tx, botId, corpus.documents));
  await sql`analyze knowledge_sources, knowledge_documents, knowledge_chunks, knowledge_tokens`.execute(admin);
  results = await inside(tenantId, ({ tx }) => askAll(tx, loaded, corpus.questions));
}, 300_000);

test('questions that share words with their answer reach the target scores: first, top three, and no answer', () => {
  const figures = figuresOf(results.filter(({ question }) => question.kind !== 'paraphrase'));
  expect(figures.answerable).toBeGreaterThan(80);
  expect(figures).toMatchObject(atLeast(bars));
});

test('all questions, including paraphrases, reach the minimum scores', () => {
  const figures = figuresOf(results);
  expect(figures.answerable).toBeGreaterThan(120);
  expect(figures).toMatchObject(atLeast(floors));
});

const atLeast = (minimums: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(minimums).map(([name, share]) => [
      name,
      expect.toSatisfy((is: number) => is >= share, `${name} of ${share} or more`),
    ]),
  );
