import type { Embedder } from '../apps/server/src/features/knowledge/embed/embedder.ts';
import type { QuestionVector } from '../apps/server/src/features/knowledge/search/vectors.store.ts';
import { embedSource, openLocalEmbedder } from '../tools/model/embed-source.ts';
import { miniLm } from '../tools/model/minilm.ts';
import type { EvalTenant } from './speed.ts';

/** The model in this folder, or the one of the release. */
export const openEvalEmbedder = (path?: string): Embedder =>
  openLocalEmbedder(path ? { provider: 'local', path, confidentAt: 0.65 } : miniLm());

export async function embedSources({ inside }: EvalTenant, sourceIds: readonly string[], embedder: Embedder) {
  for (const sourceId of sourceIds) await embedSource(inside, sourceId, embedder);
}

/** By the question's id. */
export async function embedQuestions(
  questions: readonly { id: string; question: string }[],
  embedder: Embedder | undefined,
): Promise<Map<string, QuestionVector>> {
  const vectors = new Map<string, QuestionVector>();
  for (const { id, question } of questions) {
    const vector = await embedder?.embedQuestion(question);
    if (vector) vectors.set(id, vector);
  }
  return vectors;
}
