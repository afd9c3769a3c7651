import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom, type Random } from '../apps/server/test/faults/random.ts';

// Open-model arrivals: when something starts is decided before the run, and never waits for a response.

/** A time with an exponential distribution: what lies between independent arrivals. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random.next()) * mean;

export interface Arrival {
  /** Milliseconds from the start of the run. */
  atMs: number;
  /** Of everything that this arrival decides by chance, so that it does not depend on how long others take. */
  seed: number;
}

interface Arrivals {
  seed: number;
  durationMs: number;
  /** Arrivals per second at a share of the duration, at most `maxPerSecond`. */
  perSecond: (share: number) => number;
  maxPerSecond: number;
}

/** A Poisson process whose rate may change, by thinning one with the highest rate. */
export function* poissonArrivals({ seed, durationMs, perSecond, maxPerSecond }: Arrivals): Generator<Arrival> {
  if (maxPerSecond <= 0) return;
  const random = randomFrom(seed);
  for (let atMs = 0; ;) {
    atMs += exponential(random, 1_000 / maxPerSecond);
    if (atMs >= durationMs) return;
    const isKept = random.next() * maxPerSecond < perSecond(atMs / durationMs);
    const arrivalSeed = random.between(0, 2 ** 31 - 1);
    if (isKept) yield { atMs, seed: arrivalSeed };
  }
}

interface StartOptions {
  /** `performance.now()` at the start of the run. */
  startedAt: number;
  signal: AbortSignal;
  /** Called with when it was due, in the time of `performance.now()`. What it returns is not waited for. */
  start: (arrival: Arrival, dueAt: number) => unknown;
  /** Gets how late the generator itself was. */
  onLateness: (ms: number) => void;
}

export async function startArrivals(
  arrivals: Iterable<Arrival>,
  { startedAt, signal, start, onLateness }: StartOptions,
): Promise<void> {
  for (const arrival of arrivals) {
    const dueAt = startedAt + arrival.atMs;
    await sleepUntil(dueAt, signal);
    if (signal.aborted) return;
    onLateness(performance.now() - dueAt);
    start(arrival, dueAt);
  }
}

/** Returns early if `signal` is aborted. */
export async function sleepUntil(dueAt: number, signal: AbortSignal): Promise<void> {
  const ms = dueAt - performance.now();
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}

/** Picks 0 to `count` - 1: the second half as often as the first, the third a third as often (exponent 1). */
export function zipf(count: number, exponent = 1): (random: Random) => number {
  const cumulative: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= count; rank++) cumulative.push((total += rank ** -exponent));
  return (random) => {
    const at = random.next() * total;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
