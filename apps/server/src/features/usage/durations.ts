/** Durations counted in buckets, from which percentiles are estimated. The last bucket has no upper bound. */
export interface Histogram {
  empty(): number[];
  /** 1-based, like PostgreSQL arrays. */
  bucketOf(ms: number): number;
  add(a: readonly number[], b: readonly number[]): number[];
  /** A percentile by linear interpolation within its bucket. null without durations. */
  percentile(share: number, buckets: readonly number[]): number | null;
}

function histogram(bounds: readonly number[]): Histogram {
  const maxMs = bounds.at(-1) ?? 0;
  const empty = () => Array.from({ length: bounds.length + 1 }, () => 0);
  return {
    empty,
    bucketOf: (ms) => {
      const found = bounds.findIndex((bound) => ms <= bound);
      return (found < 0 ? bounds.length : found) + 1;
    },
    add: (a, b) => empty().map((_, index) => (a[index] ?? 0) + (b[index] ?? 0)),
    percentile: (share, buckets) => {
      const all = buckets.reduce((sum, count) => sum + count, 0);
      if (all === 0) return null;
      let rank = share * all;
      for (const [index, count] of buckets.entries()) {
        const [from, to] = [bounds[index - 1] ?? 0, bounds[index] ?? maxMs];
        if (count > 0 && rank <= count) return Math.round(from + ((to - from) * rank) / count);
        rank -= count;
      }
      return maxMs;
    },
  };
}

/** From a visitor's message to the bot's reply. */
export const replyTimes = histogram([100, 200, 400, 700, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 60_000]);

const minute = 60_000;
/** First response and handling times of agents. */
export const agentTimes = histogram(
  [0.5, 1, 2, 3, 5, 8, 12, 20, 30, 45, 60, 120, 240, 480, 1_440, 4_320].map((minutes) => minutes * minute),
);
