import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readCorpus } from '../../../eval/corpus.ts';
import { loadDocuments } from '../../../eval/load.ts';
import { runQuestions, metricsOf, baselines, targets, type Result } from '../../../eval/measure.ts';
import { admin, aTenant, inside } from './harness.ts';

let results: Result[] = [];
beforeAll(async () => {
  const corpus = readCorpus();
  const { tenantId, botId } = await aTenant();
  const loaded = await inside(tenantId, ({ tx }) => loadDocuments(tx, botId, corpus.documents));
  await sql`analyze knowledge_sources, knowledge_documents, knowledge_chunks, knowledge_tokens`.execute(admin);
  results = await inside(tenantId, ({ tx }) => runQuestions(tx, loaded, corpus.questions));
}, 300_000);

test('meets the targets for questions that share words with their answer', () => {
  const metrics = metricsOf(results.filter(({ question }) => question.kind !== 'paraphrase'));
  expect(metrics.answerable).toBeGreaterThan(80);
  expect(metrics).toMatchObject(atLeast(targets));
});

test('does not fall below the baselines for all questions, including paraphrases', () => {
  const metrics = metricsOf(results);
  expect(metrics.answerable).toBeGreaterThan(120);
  expect(metrics).toMatchObject(atLeast(baselines));
});

const atLeast = (minimums: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(minimums).map(([name, share]) => [
      name,
      expect.toSatisfy((is: number) => is >= share, `${name} of ${share} or more`),
    ]),
  );
