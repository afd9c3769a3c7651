import {
  hasVectors,
  saveVectors,
  chunksWithoutVector,
  type QuestionVector,
} from '../apps/server/src/features/knowledge/search/vectors.store.ts';
import { textOf } from '../apps/server/src/features/knowledge/search/vectors.ts';
import type { Embed } from '../tools/model/encoder.ts';
import type { Question } from './corpus.ts';
import type { EvalTenant } from './speed.ts';

const model = 'universal-sentence-encoder-lite/512';
/** Above the best similarity of all unanswerable development questions. */
const confidentAt = 0.7;

/** Like a sync: reads the chunks, embeds them outside of a transaction, saves the vectors. */
export async function embedChunks({ inside }: EvalTenant, sourceId: string, embed: Embed): Promise<void> {
  const chunks = await inside(async (tx) => {
    if (!(await hasVectors(tx))) throw new Error('This PostgreSQL has no `vector`: run tools/stack/build-vector.sh.');
    return chunksWithoutVector(tx, sourceId, model, 100_000);
  });
  const vectors = await embed(chunks.map(textOf));
  await inside((tx) => saveVectors(tx, model, chunks, vectors));
}

export async function embedQuestions(questions: readonly Question[], embed: Embed) {
  const vectors = await embed(questions.map(({ question }) => question));
  return new Map(
    questions.map(({ id }, n): [string, QuestionVector] => [id, { model, values: vectors[n] ?? [], confidentAt }]),
  );
}
