export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};
export const median = (values: readonly number[]): number => percentile(values, 0.5);

export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Measures all of them in each round, in turn, so that other load on the machine affects them alike. */
export async function takeTurns<K extends string>(rounds: number, measures: Record<K, () => Promise<number>>) {
  const keys = Object.keys(measures) as K[];
  const values = Object.fromEntries(keys.map((key) => [key, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++) for (const key of keys) values[key].push(await measures[key]());
  return {
    median: (key: K) => median(values[key]),
    /** The median of the rounds' ratios. */
    ratio: (key: K, peer: K) => median(values[key].map((value, round) => value / (values[peer][round] ?? Number.NaN))),
  };
}
