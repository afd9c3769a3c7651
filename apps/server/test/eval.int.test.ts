import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readCorpus } from '../../../eval/corpus.ts';
import { loadDocuments } from '../../../eval/load.ts';
import { runQuestions, metricsOf, baselines, targets, type Result } from '../../../eval/measure.ts';
import { askShop } from '../../../eval/shop.ts';
import { openEvalEmbedder } from '../../../eval/vectors.ts';
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

test('the model of the release finds and answers more of the demo’s questions than tokens alone', async () => {
  const ask = async (embedder?: ReturnType<typeof openEvalEmbedder>) => {
    const { tenantId, botId } = await aTenant();
    return askShop({ botId, inside: (work) => inside(tenantId, ({ tx }) => work(tx)) }, embedder);
  };
  const [byTokens, byVectors] = [await ask(), await ask(openEvalEmbedder())];
  expect(byVectors.first / byVectors.questions).toBeGreaterThanOrEqual(0.9);
  expect(byVectors.answered).toBeGreaterThan(byTokens.answered + 5);
}, 60_000);

const atLeast = (minimums: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(minimums).map(([name, share]) => [
      name,
      expect.toSatisfy((is: number) => is >= share, `${name} of ${share} or more`),
    ]),
  );
