import { readFileSync } from 'node:fs';

/** A line of what the relays' subscriber wrote: a batch it was given, with the cursor recorded then, or one event of it. */
export interface DeliveredLine {
  run: string;
  tenantId: string;
  batch?: {
    first: number;
    last: number;
    cursor: number;
    /** The machine had held this relay up for so long that a lease may have ended through no fault of its own. */
    wasHeldUp: boolean;
  };
  event?: { id: string; position: number };
}

/** What the relays handed on, and what is wrong with it: each problem in words. */
export function readLedger(file: string) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const firsts = new Map<string, string[]>(); // by tenant, in the order they first came: the place is the position
  const expected = new Map<string, { next: number; last: number }>(); // by run and tenant
  const problems: string[] = [];
  let [repeats, stale, slow, batches] = [0, 0, 0, 0];

  for (const line of lines) {
    const { run, tenantId, batch, event } = JSON.parse(line) as DeliveredLine;
    const place = `${run} ${tenantId}`;
    const seen = firsts.get(tenantId) ?? [];
    firsts.set(tenantId, seen);
    if (batch) {
      const { first, last, cursor, wasHeldUp } = batch;
      batches++;
      if (first > cursor + 1) problems.push(`${tenantId}: a batch began at ${first}, the cursor stood at ${cursor}`);
      // Its lease passed to another before it began; the other recorded more than it knew.
      if (first < cursor + 1 && wasHeldUp) slow++;
      else if (first < cursor + 1) stale++;
      expected.set(place, { next: first, last });
    }
    if (event) {
      const { id, position } = event;
      const due = expected.get(place);
      if (!due || position !== due.next || position > due.last)
        problems.push(`${tenantId}: ${position} was handed on, ${due?.next} was due`);
      expected.set(place, { next: position + 1, last: due?.last ?? 0 });
      if (position <= seen.length) {
        repeats++;
        if (seen[position - 1] !== id) problems.push(`${tenantId}: ${position} came again as another event`);
      } else {
        if (position !== seen.length + 1) problems.push(`${tenantId}: ${position} came first after ${seen.length}`);
        seen[position - 1] = id;
      }
    }
  }
  return { firsts, problems, repeats, stale, slow, batches };
}
