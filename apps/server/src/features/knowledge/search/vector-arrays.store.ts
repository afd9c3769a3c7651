import { LRUCache } from 'lru-cache';
import type { Tx } from '../../../platform/db.ts';
import { lengthOf, type VectorArrays } from './vector-arrays.ts';

/** Of all sources of a bot. Chunks beyond are found by their tokens. */
const maxVectors = 50_000;
const maxBytes = 128 * 1024 * 1024;

interface Load {
  tx: Tx;
  sourceId: string;
  model: string;
}

/** Kept between questions, since reading them takes longer than comparing them. */
const cache = new LRUCache<string, VectorArrays, Load>({
  maxSize: maxBytes,
  sizeCalculation: ({ bytes, chunks }) => 1 + bytes.length + 64 * chunks.length,
  fetchMethod: (_key, _stale, { context }) => load(context),
});

/** A sync ends with its last vector saved, and changes the state. */
export interface SourceState {
  id: string;
  syncId: string;
  state: string;
}

/** The vectors of these sources. Sources of another tenant were not visible, and so are never read from the cache. */
export async function readVectorArrays(
  tx: Tx,
  sources: readonly SourceState[],
  model: string,
): Promise<VectorArrays[]> {
  const found: VectorArrays[] = [];
  let total = 0;
  for (const { id, syncId, state } of sources) {
    const arrays = await cache.fetch([id, syncId, state, model].join('/'), { context: { tx, sourceId: id, model } });
    if (arrays) found.push(arrays);
    total += arrays?.chunks.length ?? 0;
    if (total >= maxVectors) break;
  }
  return found;
}

async function load({ tx, sourceId, model }: Load): Promise<VectorArrays> {
  const rows = await tx
    .selectFrom('knowledgeEmbeddings')
    .select(['documentId', 'place', 'embedding'])
    .where('sourceId', '=', sourceId)
    .where('model', '=', model)
    .orderBy('documentId')
    .orderBy('place')
    .limit(maxVectors)
    .execute();
  const dimensions = rows[0]?.embedding.length ?? 0;
  const bytes = new Int8Array(rows.length * dimensions);
  for (const [n, { embedding }] of rows.entries()) bytes.set(new Int8Array(embedding), n * dimensions);
  const chunks = rows.map(({ documentId, place }) => ({ documentId, place }));
  const lengths = Float32Array.from(rows, (_, n) => lengthOf(bytes.subarray(n * dimensions, (n + 1) * dimensions)));
  return { chunks, bytes, lengths };
}
