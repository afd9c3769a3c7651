import { expect, test } from 'vitest';
import { poissonArrivals, startArrivals, zipf } from '../../../../load/arrivals.ts';
import { largestMet, nextSize } from '../../../../load/find.ts';
import { createMeasures, type Kind, type Timing } from '../../../../load/measures.ts';
import { readOptions } from '../../../../load/options.ts';
import { phaseAt, profileOf } from '../../../../load/profiles.ts';
import { readMetric } from '../../../../load/resources.ts';
import { isGrowing, slopeOf } from '../../../../load/slope.ts';
import { checkAll, recoveredAfter } from '../../../../load/verdict.ts';
import { randomFrom } from '../faults/random.ts';

const minute = { seed: 7, durationMs: 60_000, perSecond: () => 50, maxPerSecond: 50 };

test('arrivals are a Poisson process, the same for the same seed', () => {
  const arrivals = [...poissonArrivals(minute)];
  expect([...poissonArrivals(minute)]).toEqual(arrivals);
  expect([...poissonArrivals({ ...minute, seed: 8 })]).not.toEqual(arrivals);
  expect(arrivals.length).toBeGreaterThan(2_800);
  expect(arrivals.length).toBeLessThan(3_200);
  // The variance of counts in equal intervals is their mean; 0 if they were evenly spaced.
  const counts = Array.from(
    { length: 60 },
    (_, second) => arrivals.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length,
  );
  const mean = arrivals.length / 60;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / 59;
  expect(variance / mean).toBeGreaterThan(0.5);
  expect(variance / mean).toBeLessThan(1.7);
});

test('the rate of arrivals follows the profile: a spike is twice as dense', () => {
  const profile = profileOf('spike', 5);
  const durationMs = 300_000;
  const perSecond = (share: number) => 50 * phaseAt(profile, share).rateAt(share);
  const arrivals = [...poissonArrivals({ seed: 1, durationMs, perSecond, maxPerSecond: 100 })];
  const inPhase = (name: string) =>
    arrivals.filter(({ atMs }) => phaseAt(profile, atMs / durationMs).name === name).length;
  expect(inPhase('before') / 120).toBeCloseTo(50, -1);
  expect(inPhase('spike') / 60).toBeCloseTo(100, -1);
  expect(profile.phases.map(({ name, from }) => [name, from])).toEqual([
    ['before', 0],
    ['spike', 0.4],
    ['recovery', 0.6],
    ['after', 0.7],
  ]);
});

test('arrivals do not wait for what they start, and say how late they are', async () => {
  const lateness: number[] = [];
  let started = 0;
  const arrivals = [...poissonArrivals({ seed: 3, durationMs: 300, perSecond: () => 100, maxPerSecond: 100 })];
  await startArrivals(arrivals, {
    startedAt: performance.now(),
    signal: new AbortController().signal,
    onLateness: (ms) => lateness.push(ms),
    start: () => {
      started++;
      if (started === 1) for (const until = performance.now() + 100; performance.now() < until;); // blocks the generator
      return new Promise(() => {}); // never ends
    },
  });
  expect(started).toBe(arrivals.length);
  expect(Math.max(...lateness)).toBeGreaterThan(50);
});

test('tenants follow a Zipf distribution', () => {
  const [pick, random] = [zipf(10), randomFrom(5)];
  const counts = Array.from({ length: 10 }, () => 0);
  for (let n = 0; n < 29_290; n++) counts[pick(random)]!++;
  // 29,290 = 10,000 × (1 + 1/2 + … + 1/10)
  for (const [rank, count] of counts.entries()) expect(count / (10_000 / (rank + 1))).toBeCloseTo(1, 0.5);
  expect(counts[0]! / counts[9]!).toBeGreaterThan(8);
});

test('a slope is growth only beyond its margin', () => {
  const random = randomFrom(1);
  const hour = Array.from({ length: 720 }, (_, n) => n * 5);
  const at = (growth: number, noise: number) =>
    slopeOf(
      hour.map((seconds) => ({
        seconds,
        value: 200 * (1 + growth * (seconds / 3_600) + noise * (random.next() - 0.5)),
      })),
    )!;
  expect(at(0.05, 0).perHour).toBeCloseTo(0.05, 2);
  expect(isGrowing(at(0.05, 0.02), 0.01)).toBe(true);
  expect(isGrowing(at(0, 0.5), 0.01)).toBe(false);
  expect(at(0, 0.5).margin).toBeGreaterThan(at(0, 0.05).margin * 3);
  // A sawtooth, as garbage collection makes it: neighbours resemble each other, so the margin is wider than for noise.
  const teeth = hour.map((seconds) => 200 + ((seconds / 600) % 1) * 20);
  const mixed = teeth.map((_, n) => teeth[(n * 7 * 37) % teeth.length] ?? 0);
  const marginOf = (values: number[]) => slopeOf(values.map((value, n) => ({ seconds: n * 5, value })))?.margin ?? 0;
  expect(marginOf(teeth)).toBeGreaterThan(2 * marginOf(mixed));
  expect(slopeOf(hour.slice(0, 9).map((seconds) => ({ seconds, value: seconds })))).toBeNull();
});

test('metrics are read by name, summed over their labels', () => {
  const text = '# TYPE a gauge\na{role="api",pool="x"} 2\na{role="api",pool="y"} 3\nab 9\nb NaN\n';
  expect(readMetric(text, ['missing', 'a'])).toBe(5);
  expect(readMetric(text, ['b'])).toBeUndefined();
});

const window = (from: number, refused = 0, firstTokenP95: number | null = 100) => ({
  from,
  requests: 50,
  refused,
  firstTokenP95,
});

test('recovery is the start of five good windows in a row', () => {
  const windows = [0, 5, 10, 15, 20, 25, 30, 35, 40].map((from) => window(from, from < 15 ? 1 : 0));
  expect(recoveredAfter(windows, 5, 5)).toBe(5);
  expect(recoveredAfter(windows.slice(0, 7), 5, 5)).toBeNull();
  expect(recoveredAfter([...windows.slice(0, 5), window(25, 0, 5_000), ...windows.slice(6)], 5, 5)).toBeNull();
});

/** A run of five minutes with these first tokens and outcomes. */
function verdictOf(fill: (measures: ReturnType<typeof createMeasures>) => void, totals: Record<string, number> = {}) {
  const { phases } = profileOf('steady', 5);
  const measures = createMeasures(['steady'], () => 'steady');
  fill(measures);
  const checks = checkAll({
    phases,
    measures,
    windows: [],
    windowSeconds: 5,
    durationSeconds: 300,
    totals,
    lost: { events: 0 },
    parts: {},
  });
  return checks.filter(({ isMet }) => isMet === false).map(({ name }) => name);
}

test('an objective is missed by the first request or percentile beyond it', () => {
  const now = performance.now();
  const outcomes = (kind: Kind, failed: number, of: number) => (measures: ReturnType<typeof createMeasures>) => {
    for (let n = 0; n < of; n++) measures.outcome(kind, n < failed ? 'failed' : 'ok', now);
    for (let n = 0; n < 1_000; n++) measures.outcome(kind, 'limited', now); // not a failure of the service
  };
  expect(verdictOf(outcomes('widget', 1, 1_000))).toEqual([]);
  expect(verdictOf(outcomes('widget', 2, 1_000))).toEqual(['API availability']);
  expect(verdictOf(outcomes('cdn', 1, 2_000))).toEqual([]);
  expect(verdictOf(outcomes('cdn', 1, 1_000))).toEqual(['widget delivery']);
  const times = (timing: Timing, slowMs: number, slow: number, of: number) =>
    verdictOf((measures) => {
      for (let n = 0; n < of; n++) measures.time(timing, n < slow ? slowMs : 300, now);
    });
  expect(times('firstToken', 4_200, 5, 100)).toEqual([]);
  expect(times('firstToken', 4_200, 6, 100)).toEqual(['accepted → first token']);
  expect(times('firstToken', 3_900, 100, 100)).toEqual([]);
  expect(times('firstAttempt', 10_500, 1, 100)).toEqual([]);
  expect(times('firstAttempt', 10_500, 2, 100)).toEqual(['commit → first delivery attempt']);
  expect(times('signIn', 2_600, 1, 200)).toEqual([]);
  expect(times('signIn', 2_600, 2, 200)).toEqual(['sign-in']);
  expect(verdictOf(() => {}, { 'messages lost': 1 })).toEqual(['accepted messages without an answer']);
  expect(verdictOf(() => {}, { 'refusals without their headers': 1 })).toEqual(['429 or 503 without their headers']);
});

test('a failed sign-in misses its objective like a slow one', () => {
  const now = performance.now();
  const signIns = (failed: number) =>
    verdictOf((measures) => {
      for (let n = failed; n < 200; n++) measures.time('signIn', 300, now);
      measures.count('sign-ins failed', now, failed);
    });
  expect(signIns(1)).toEqual([]);
  expect(signIns(2)).toEqual(['sign-in']);
});

test('the largest size is found by doubling it, and then between the last that met the objectives and the first that did not', () => {
  const find = (first: number, capacity: number) => {
    const tried: { size: number; isMet: boolean }[] = [];
    for (let size = nextSize(first, tried); size !== undefined; size = nextSize(first, tried))
      tried.push({ size, isMet: size <= capacity });
    return { sizes: tried.map(({ size }) => size), largest: largestMet(tried) };
  };
  expect(find(4, 13)).toEqual({ sizes: [4, 8, 16, 11, 13, 14], largest: 13 });
  expect(find(8, 3)).toEqual({ sizes: [8, 4, 2, 2.8, 3.3, 3], largest: 3 });
  expect(find(8, 0.1).largest).toBeUndefined();
});

test('options are checked, and a URL alone uses the demo’s file', () => {
  expect(readOptions(['--profile', 'soak', '--size', '2.5'])).toMatchObject({ profile: 'soak', size: 2.5, seed: 1 });
  expect(readOptions(['--url', 'https://api.example']).config).toBe('.demo.json');
  for (const wrong of [
    ['--profile', 'flood'],
    ['--size', '0'],
    ['--minutes', 'x'],
    ['--tenants', '1.5'],
    ['--find', '--profile', 'soak'],
  ])
    expect(() => readOptions(wrong)).toThrow(/^--/);
});
