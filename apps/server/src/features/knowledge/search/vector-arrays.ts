/** The vectors of a source in memory: a fourth of the size of floats, and as good for ranking. */
export interface VectorArrays {
  chunks: { documentId: string; place: number }[];
  /** One row of signed bytes per chunk. */
  bytes: Int8Array;
  /** The length of each row as a vector. */
  lengths: Float32Array;
}

/** The direction of a vector as signed bytes. */
export function quantize(vector: readonly number[]): Int8Array<ArrayBuffer> {
  const largest = Math.max(...vector.map(Math.abs)) || 1;
  return Int8Array.from(vector, (value) => Math.round((127 * value) / largest));
}

export const lengthOf = (vector: Int8Array): number => Math.sqrt(product(vector, vector, 0)) || 1;

/** The chunks most similar to the question, best first. */
export function nearestIn(
  sources: readonly VectorArrays[],
  question: readonly number[],
  max: number,
): { documentId: string; place: number; similarity: number }[] {
  const query = quantize(question);
  const queryLength = lengthOf(query);
  const found = sources.flatMap(({ chunks, bytes, lengths }) => {
    const similarities = lengths.map(
      (length, row) => product(bytes, query, row * query.length) / (length * queryLength),
    );
    const enough = similarities.length > max ? (similarities.toSorted().at(-max) ?? 0) : -1;
    return chunks.flatMap((chunk, row) => {
      const similarity = similarities[row] ?? 0;
      return similarity >= enough ? [{ ...chunk, similarity }] : [];
    });
  });
  return found.toSorted((a, b) => b.similarity - a.similarity).slice(0, max);
}

/** Of the query with the row that starts at `start`. Whole numbers, so that the compiler makes a tight loop of it. */
function product(bytes: Int8Array, query: Int8Array, start: number): number {
  let sum = 0;
  for (let n = 0; n < query.length; n++) sum = (sum + Math.imul(bytes[start + n] ?? 0, query[n] ?? 0)) | 0;
  return sum;
}
