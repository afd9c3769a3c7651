import { setTimeout as sleep } from 'node:timers/promises';

interface PollLoopOptions<T> {
  /** At once. */
  max: number;
  everyMs: number;
  /** Whoever is woken waits this long for more of the same: a burst is one look, not one for each. */
  gatherMs?: number;
  /** Leases up to so many of what is waiting. */
  lease(room: number): Promise<readonly T[]>;
  /** What must not be in hand twice. */
  keyOf(one: T): string;
  /** Ends well or badly by itself: whatever it throws is its own to tell. */
  work(one: T, isStopping: () => boolean): Promise<void>;
  onError(error: unknown): void;
}

/**
 * Takes on what is waiting, and goes on to look: when woken, when there is room again, and every so often. None waits for
 * another: a slow one takes up one place only. Stopping lets what is in hand come to its end.
 */
export function pollLoop<T>({ max, everyMs, gatherMs = 0, lease, keyOf, work, onError }: PollLoopOptions<T>) {
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
    for (const one of leased) {
      const key = keyOf(one);
      // One at a time: what outlived its lease, or is just about to end, comes to its end first. But it is not passed over:
      // it is leased now, and until that runs out nobody else would look at it.
      const previous = inFlight.get(key) ?? Promise.resolve();
      const done = previous
        .then(() => work(one, () => stopping.signal.aborted))
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
      if (isWoken && gatherMs > 0) await sleep(gatherMs);
      if (leasedCount > 0 || isWoken) continue;
      const waiting = new AbortController();
      wakeUp = () => waiting.abort();
      await sleep(everyMs, undefined, { signal: AbortSignal.any([waiting.signal, stopping.signal]) }).catch(() => {});
      if (isWoken && gatherMs > 0) await sleep(gatherMs);
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
