import { setTimeout as sleep } from 'node:timers/promises';

interface Parts<T> {
  /** At once. */
  max: number;
  everyMs: number;
  /** Whoever is woken waits this long for more of the same: a burst is one look, not one for each. */
  gatherMs?: number;
  /** Leases up to so many of what is waiting. */
  take(room: number): Promise<readonly T[]>;
  /** What must not be in hand twice. */
  keyOf(one: T): string;
  /** Ends well or badly by itself: whatever it throws is its own to tell. */
  work(one: T, isStopping: () => boolean): Promise<void>;
  onFault(error: unknown): void;
}

/**
 * Takes on what is waiting, and goes on to look: when woken, when there is room again, and every so often. None waits for
 * another: a slow one takes up one place only. Stopping lets what is in hand come to its end.
 */
export function pollLoop<T>({ max: most, everyMs, gatherMs = 0, take, keyOf, work, onFault }: Parts<T>) {
  const busy = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let isWoken = false;
  let wakeUp = () => {};
  const wake = () => {
    isWoken = true;
    wakeUp();
  };

  async function poll(): Promise<number> {
    const room = most - busy.size;
    if (room <= 0) return 0;
    const taken = await take(room);
    for (const one of taken) {
      const key = keyOf(one);
      // One at a time: what outlived its lease, or is just about to end, comes to its end first. But it is not passed over:
      // it is leased now, and until that runs out nobody else would look at it.
      const before = busy.get(key) ?? Promise.resolve();
      const done = before
        .then(() => work(one, () => stopping.signal.aborted))
        .finally(() => {
          if (busy.get(key) === done) busy.delete(key);
          wake();
        });
      busy.set(key, done);
    }
    return taken.length;
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      const taken = await poll().catch((error: unknown) => {
        onFault(error);
        return 0;
      });
      if (isWoken && gatherMs > 0) await sleep(gatherMs);
      if (taken > 0 || isWoken) continue;
      const nap = new AbortController();
      wakeUp = () => nap.abort();
      await sleep(everyMs, undefined, { signal: AbortSignal.any([nap.signal, stopping.signal]) }).catch(() => {});
      if (isWoken && gatherMs > 0) await sleep(gatherMs);
    }
    await Promise.all(busy.values());
  })();

  return {
    wake,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
