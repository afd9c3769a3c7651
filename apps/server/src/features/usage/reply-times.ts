/** Upper bounds of the buckets in milliseconds. The last bucket has no bound. */
const bounds = [100, 200, 400, 700, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 60_000] as const;
const maxMs = 60_000;

/** 1-based, like PostgreSQL arrays. */
export function bucketOf(ms: number): number {
  const found = bounds.findIndex((bound) => ms <= bound);
  return (found < 0 ? bounds.length : found) + 1;
}

export const emptyBuckets = (): number[] => Array.from({ length: bounds.length + 1 }, () => 0);

export const addBuckets = (a: readonly number[], b: readonly number[]): number[] =>
  emptyBuckets().map((_, index) => (a[index] ?? 0) + (b[index] ?? 0));

/** A percentile by linear interpolation within its bucket. null without replies. */
export function percentile(share: number, buckets: readonly number[]): number | null {
  const all = buckets.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let rank = share * all;
  for (const [index, count] of buckets.entries()) {
    const [from, to] = [bounds[index - 1] ?? 0, bounds[index] ?? maxMs];
    if (count > 0 && rank <= count) return Math.round(from + ((to - from) * rank) / count);
    rank -= count;
  }
  return maxMs;
}
