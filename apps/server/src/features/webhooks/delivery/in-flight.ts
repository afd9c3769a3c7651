/** Results are stored in batches, limited by size and by time. */
const batch = { max: 100, few: 25, ms: 15 };
/** Each slot has up to this much work queued, in milliseconds. */
const aheadMs = 200;
const maxAhead = 4;
/** An item that waited longer isn't started: the endpoint's secret or URL may have changed, and the lease is running. */
const maxWaitMs = 2_000;

interface Waiting<Item> {
  item: Item;
  since: number;
}

/**
 * Runs calls in a limited number of slots and collects their results. A few more items than slots can be queued, so that a
 * fast receiver isn't kept waiting. No call starts when it `isOver`.
 */
export function createInFlightPool<Item, Result>(
  call: (item: Item) => Promise<Result>,
  release: (count: number) => void,
  isOver: () => boolean,
  now = () => performance.now(),
) {
  let waiting: Waiting<Item>[] = [];
  let results: Result[] = [];
  const slots = { open: 0, freed: 0, limit: 0 };
  let averageMs = aheadMs;
  let isDetached = false;
  let onChange = () => {};

  const isExpired = ({ since }: Waiting<Item>) => now() - since > maxWaitMs || isOver();

  async function work() {
    for (;;) {
      // Checked here as well: a receiver that starts to hang can block its slots for longer than the maximum wait.
      if (slots.open > slots.limit || !waiting[0] || isExpired(waiting[0])) break;
      const next = waiting.shift();
      if (!next) break;
      const startedAt = now();
      const result = await call(next.item); // awaited first: `results` can be replaced in the meantime
      results.push(result);
      averageMs = 0.9 * averageMs + 0.1 * (now() - startedAt);
      onChange();
    }
    slots.open--;
    if (isDetached) return release(1);
    slots.freed++;
    onChange();
  }

  const isBatchReady = () =>
    slots.open === 0 || results.length >= batch.max || (waiting.length === 0 && slots.freed >= batch.few);

  return {
    /** Busy slots. */
    open: () => slots.open,
    isIdle: () => slots.open === 0 && results.length === 0 && waiting.length === 0,
    /** How many more items it can take with this many slots. */
    room: (count: number) => {
      const each = Math.max(1, Math.min(maxAhead, Math.floor(aheadMs / averageMs)));
      return Math.max(0, count * each - waiting.length - slots.open);
    },
    /** Returns the results since the last call and releases free slots. */
    settle(): Result[] {
      const settled = results;
      results = [];
      release(slots.freed);
      slots.freed = 0;
      return settled;
    },
    /** Removes and returns queued items that waited too long, or all of them. */
    takeUnstarted({ all }: { all: boolean }): Item[] {
      const removed = waiting.filter((one) => all || isExpired(one));
      waiting = waiting.filter((one) => !removed.includes(one));
      return removed.map(({ item }) => item);
    },
    /** Queues items with `more` additional slots, limited to `max` in total. Returns how many slots were not needed. */
    add(items: readonly Item[], more: number, max: number): number {
      slots.limit = max;
      const since = now();
      waiting.push(...items.map((item) => ({ item, since })));
      const needed = Math.min(more, waiting.length);
      slots.open += needed;
      for (let slot = 0; slot < needed; slot++) void work();
      return more - needed;
    },
    /** Resolves when a batch is full or its time is up. */
    async waitForResults(): Promise<void> {
      while (results.length === 0 && slots.open > 0) await new Promise<void>((resolve) => (onChange = resolve));
      if (isBatchReady()) return;
      await new Promise<void>((done) => {
        const soon = setTimeout(done, batch.ms);
        onChange = () => {
          if (!isBatchReady()) return;
          clearTimeout(soon);
          done();
        };
      });
    },
    /** Ignores the results of calls still in flight. They release their slots when they end. */
    detach() {
      isDetached = true;
      waiting = [];
      release(slots.freed);
    },
  };
}
