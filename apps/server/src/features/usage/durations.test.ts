import { expect, test } from 'vitest';
import { replyTimes } from './durations.ts';

const { add: addBuckets, bucketOf, empty: emptyBuckets, percentile } = replyTimes;

const of = (...times: number[]) => {
  const buckets = emptyBuckets();
  for (const ms of times) buckets[bucketOf(ms) - 1] = (buckets[bucketOf(ms) - 1] ?? 0) + 1;
  return buckets;
};

test('assigns each time to one of twelve buckets', () => {
  expect(emptyBuckets()).toHaveLength(12);
  expect([0, 100, 101, 60_000, 60_001, 9e9].map(bucketOf)).toEqual([1, 1, 2, 11, 12, 12]);
});

test('estimates percentiles within the right bucket', () => {
  expect(percentile(0.5, emptyBuckets())).toBeNull();
  const hundred = of(...Array.from({ length: 94 }, () => 150), ...Array.from({ length: 6 }, () => 4_000));
  expect(percentile(0.5, hundred)).toBeGreaterThan(100);
  expect(percentile(0.5, hundred)).toBeLessThanOrEqual(200);
  expect(percentile(0.95, hundred)).toBeGreaterThan(3_000);
  expect(percentile(0.95, hundred)).toBeLessThanOrEqual(5_000);
  expect(percentile(0.5, of(90_000, 90_000))).toBe(60_000);
});

test('adds the buckets of several days', () => {
  expect(addBuckets(of(50, 500), of(500))).toEqual(of(50, 500, 500));
});
