import { readFileSync } from 'node:fs';

/** A line of the subscriber's log: a batch with the cursor at that time, or one event of it. */
export interface DeliveredLine {
  run: string;
  tenantId: string;
  batch?: {
    first: number;
    last: number;
    cursor: number;
    /** The machine delayed this relay so long that its lease may have expired without a bug. */
    wasDelayed: boolean;
  };
  event?: { id: string; position: number };
}

/** What the relays delivered, and a description of each problem. */
export function readDeliveredLog(file: string) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const firsts = new Map<string, string[]>(); // by tenant, in the order of first delivery: the index is the position
  const ranges = new Map<string, { next: number; last: number }>(); // by run and tenant
  const problems: string[] = [];
  let [repeats, stale, slow, batches] = [0, 0, 0, 0];

  for (const line of lines) {
    const { run, tenantId, batch, event } = JSON.parse(line) as DeliveredLine;
    const streamKey = `${run} ${tenantId}`;
    const delivered = firsts.get(tenantId) ?? [];
    firsts.set(tenantId, delivered);
    if (batch) {
      const { first, last, cursor, wasDelayed } = batch;
      batches++;
      if (first > cursor + 1) problems.push(`${tenantId}: a batch started at ${first}, the cursor was ${cursor}`);
      // Its lease passed to another relay before it started; the other one recorded a later cursor.
      if (first < cursor + 1 && wasDelayed) slow++;
      else if (first < cursor + 1) stale++;
      ranges.set(streamKey, { next: first, last });
    }
    if (event) {
      const { id, position } = event;
      const range = ranges.get(streamKey);
      if (!range || position !== range.next || position > range.last)
        problems.push(`${tenantId}: delivered ${position}, expected ${range?.next}`);
      ranges.set(streamKey, { next: position + 1, last: range?.last ?? 0 });
      if (position <= delivered.length) {
        repeats++;
        if (delivered[position - 1] !== id) problems.push(`${tenantId}: ${position} was repeated as another event`);
      } else {
        if (position !== delivered.length + 1)
          problems.push(`${tenantId}: ${position} was first delivered after ${delivered.length}`);
        delivered[position - 1] = id;
      }
    }
  }
  return { firsts, problems, repeats, stale, slow, batches };
}
