/** Results are handed over together: so many, or those of so long. */
const gathered = { max: 100, few: 25, ms: 15 };
/** So much work may lie before a line that it lasts this long. */
const aheadMs = 200;
const maxAhead = 4;
/** What has waited so long for its turn is not begun: its secret and address may have changed, and its lease runs. */
const timeoutMs = 2_000;

interface Waiting<Item> {
  item: Item;
  since: number;
}

/**
 * Makes calls, each line one at a time, and gathers what became of them. A few more than there are lines may wait here, so
 * that a quick receiver does not wait for us.
 */
export function createInFlightPool<Item, Result>(
  call: (item: Item) => Promise<Result>,
  giveBack: (inFlight: number) => void,
  now = () => performance.now(),
) {
  let waiting: Waiting<Item>[] = [];
  let results: Result[] = [];
  const inFlight = { open: 0, freed: 0, limit: 0 };
  let usualMs = aheadMs;
  let isLeft = false;
  let onChange = () => {};

  const isLate = ({ since }: Waiting<Item>) => now() - since > timeoutMs;

  async function work() {
    for (;;) {
      // Looked at here, too: a receiver that was quick and now hangs holds its lines for longer than anything may wait.
      if (inFlight.open > inFlight.limit || !waiting[0] || isLate(waiting[0])) break;
      const next = waiting.shift();
      if (!next) break;
      const began = now();
      const result = await call(next.item); // first: `results` is another by then
      results.push(result);
      usualMs = 0.9 * usualMs + 0.1 * (now() - began);
      onChange();
    }
    inFlight.open--;
    if (isLeft) return giveBack(1);
    inFlight.freed++;
    onChange();
  }

  const isEnough = () =>
    inFlight.open === 0 || results.length >= gathered.max || (waiting.length === 0 && inFlight.freed >= gathered.few);

  return {
    /** Lines that are busy. */
    open: () => inFlight.open,
    isIdle: () => inFlight.open === 0 && results.length === 0 && waiting.length === 0,
    /** How many more it can use, if it has so many lines. */
    room: (count: number) => {
      const each = Math.max(1, Math.min(maxAhead, Math.floor(aheadMs / usualMs)));
      return Math.max(0, count * each - waiting.length - inFlight.open);
    },
    /** Says what happened since. The lines that are free now are given back. */
    settle(): Result[] {
      const settled = results;
      results = [];
      giveBack(inFlight.freed);
      inFlight.freed = 0;
      return settled;
    },
    /** What has waited too long, or all of it, and is not begun after all. */
    takeBack({ all }: { all: boolean }): Item[] {
      const back = waiting.filter((one) => all || isLate(one));
      waiting = waiting.filter((one) => !back.includes(one));
      return back.map(({ item }) => item);
    },
    /** Takes on these with so many more lines, and keeps no more than `most` of them from now on. Says how many it did not need. */
    add(items: readonly Item[], more: number, max: number): number {
      inFlight.limit = max;
      const since = now();
      waiting.push(...items.map((item) => ({ item, since })));
      const needed = Math.min(more, waiting.length);
      inFlight.open += needed;
      for (let line = 0; line < needed; line++) void work();
      return more - needed;
    },
    /** Until there is enough to write down, or nothing more comes soon. */
    async gather(): Promise<void> {
      while (results.length === 0 && inFlight.open > 0) await new Promise<void>((heard) => (onChange = heard));
      if (isEnough()) return;
      await new Promise<void>((done) => {
        const soon = setTimeout(done, gathered.ms);
        onChange = () => {
          if (!isEnough()) return;
          clearTimeout(soon);
          done();
        };
      });
    },
    /** Nobody hears any more of what is still on its way. */
    leave() {
      isLeft = true;
      waiting = [];
      giveBack(inFlight.freed);
    },
  };
}
