import { setTimeout as sleep } from 'node:timers/promises';

interface PollLoopOptions<T> {
  /** Maximum concurrency. */
  max: number;
  everyMs: number;
  /** Delay after a wake, so that a burst of wakes causes one poll. */
  debounceMs?: number;
  /** Leases up to this many items. */
  lease(capacity: number): Promise<readonly T[]>;
  /** Items with the same key never run concurrently. */
  keyOf(item: T): string;
  /** Handles its own errors. */
  work(item: T, isStopping: () => boolean): Promise<void>;
  onError(error: unknown): void;
}

/**
 * Leases items and runs them concurrently. Polls when woken, when there is free capacity, and at an interval. A slow item
 * uses one slot only. Stopping waits for items in flight.
 */
export function pollLoop<T>({ max, everyMs, debounceMs = 0, lease, keyOf, work, onError }: PollLoopOptions<T>) {
  const inFlight = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let isWoken = false;
  let wakeUp = () => {};
  const wake = () => {
    isWoken = true;
    wakeUp();
  };

  async function poll(): Promise<number> {
    const capacity = max - inFlight.size;
    if (capacity <= 0) return 0;
    const leased = await lease(capacity);
    for (const item of leased) {
      const key = keyOf(item);
      // Waits for a previous item with the same key, which outlived its lease or is about to finish. The new item is not
      // skipped: it is leased now, and nothing else would process it until the lease expires.
      const previous = inFlight.get(key) ?? Promise.resolve();
      const done = previous
        .then(() => work(item, () => stopping.signal.aborted))
        .finally(() => {
          if (inFlight.get(key) === done) inFlight.delete(key);
          wake();
        });
      inFlight.set(key, done);
    }
    return leased.length;
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      const leasedCount = await poll().catch((error: unknown) => {
        onError(error);
        return 0;
      });
      if (isWoken && debounceMs > 0) await sleep(debounceMs);
      if (leasedCount > 0 || isWoken) continue;
      const waiting = new AbortController();
      wakeUp = () => waiting.abort();
      await sleep(everyMs, undefined, { signal: AbortSignal.any([waiting.signal, stopping.signal]) }).catch(() => {});
      if (isWoken && debounceMs > 0) await sleep(debounceMs);
    }
    await Promise.all(inFlight.values());
  })();

  return {
    wake,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
