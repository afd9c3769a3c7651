import { openEmbedder, type Embedder } from '../../apps/server/src/features/knowledge/embed/embedder.ts';
import { chunksWithoutVector, saveVectors } from '../../apps/server/src/features/knowledge/search/vectors.store.ts';
import type { Config } from '../../apps/server/src/platform/config.ts';
import type { Tx } from '../../apps/server/src/platform/db.ts';

/** Without a server: a model that runs in this process. */
export function openLocalEmbedder(setting: Extract<Config['EMBEDDINGS'], { provider: 'local' }>): Embedder {
  const noRequests = () => Promise.reject(new Error('a local model makes no requests'));
  const embedder = openEmbedder({ config: { EMBEDDINGS: setting }, safeFetch: noRequests as never, log: console });
  if (!embedder) throw new Error('EMBEDDINGS is not set');
  return embedder;
}

/** Like a sync: reads chunks, embeds them outside of a transaction, saves the vectors. */
export async function embedSource(
  inside: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  sourceId: string,
  embedder: Embedder,
): Promise<void> {
  for (;;) {
    const chunks = await inside((tx) => chunksWithoutVector(tx, sourceId, embedder, embedder.batchSize));
    if (chunks.length === 0) return;
    const vectors = await embedder.embedChunks(chunks);
    if (!vectors) throw new Error('the embedding model failed');
    await inside((tx) => saveVectors(tx, embedder.model, chunks, vectors));
  }
}
