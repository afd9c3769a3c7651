/** Up to how many milliseconds each bucket goes. One more has all that took longer. */
const bounds = [100, 200, 400, 700, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 60_000] as const;
const longest = 60_000;

/** From 1, as arrays of the database count. */
export function bucketOf(ms: number): number {
  const found = bounds.findIndex((bound) => ms <= bound);
  return (found < 0 ? bounds.length : found) + 1;
}

export const emptyBuckets = (): number[] => Array.from({ length: bounds.length + 1 }, () => 0);

export const addBuckets = (a: readonly number[], b: readonly number[]): number[] =>
  emptyBuckets().map((_, place) => (a[place] ?? 0) + (b[place] ?? 0));

/** The time within which this share was answered, taken as spread evenly within its bucket. null: nothing was answered. */
export function timeWithin(share: number, buckets: readonly number[]): number | null {
  const all = buckets.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let wanted = share * all;
  for (const [place, count] of buckets.entries()) {
    const [from, to] = [bounds[place - 1] ?? 0, bounds[place] ?? longest];
    if (count > 0 && wanted <= count) return Math.round(from + ((to - from) * wanted) / count);
    wanted -= count;
  }
  return longest;
}
