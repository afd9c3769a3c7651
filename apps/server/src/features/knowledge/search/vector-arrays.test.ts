import { expect, test } from 'vitest';
import { lengthOf, nearestIn, quantize, type VectorArrays } from './vector-arrays.ts';

const random = (seed: number) => () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647 - 0.5;

function arraysOf(vectors: readonly (readonly number[])[]): VectorArrays {
  const rows = vectors.map(quantize);
  return {
    chunks: rows.map((_, place) => ({ documentId: 'd', place })),
    bytes: Int8Array.from(rows.flatMap((row) => [...row])),
    lengths: Float32Array.from(rows, lengthOf),
  };
}

const cosine = (a: readonly number[], b: readonly number[]) => {
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, each, n) => sum + each * (y[n] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
};

test('ranks signed bytes as floats would be ranked, and similarity is off by less than 0.01', () => {
  const next = random(42);
  const vectors = Array.from({ length: 500 }, () => Array.from({ length: 384 }, next));
  const question = Array.from({ length: 384 }, next);
  const exact = vectors
    .map((vector, place) => ({ place, similarity: cosine(vector, question) }))
    .toSorted((a, b) => b.similarity - a.similarity);
  const found = nearestIn([arraysOf(vectors.slice(0, 200)), arraysOf(vectors.slice(200))], question, 20);
  expect(found).toHaveLength(20);
  for (const [n, { similarity }] of found.entries())
    expect(Math.abs(similarity - (exact[n]?.similarity ?? 0))).toBeLessThan(0.01);
});

test('finds nothing in a source without vectors, and all of a small one', () => {
  const empty = { chunks: [], bytes: new Int8Array(), lengths: new Float32Array() };
  expect(nearestIn([empty], [1, 0], 5)).toEqual([]);
  const found = nearestIn(
    [
      empty,
      arraysOf([
        [0, 1],
        [1, 0.1],
      ]),
    ],
    [1, 0],
    5,
  );
  expect(found.map(({ place }) => place)).toEqual([1, 0]);
});
