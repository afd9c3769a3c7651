import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { countOf } from '../../../../tools/testing/size.ts';
import { defineEvent, emit } from '../../src/platform/events.ts';
import { startRelay } from '../../src/platform/relay.ts';
import { createLog } from '../../src/platform/telemetry.ts';
import { admin, aTenant, inside, services } from '../harness.ts';

const count = countOf('EVENTS', { sample: 80, full: 5_000 });
const timeout = 120_000 + 200 * count;
const happened = defineEvent('test.hot_row', z.object({ n: z.int() }), { isPublic: false, isAudited: false });

interface Figures {
  updates: number;
  hot: number;
  walBytes: number;
  /** Scans of each partition of `events`. */
  scans: Record<string, number>;
}
const read = async (): Promise<Figures> => {
  const { rows } = await sql<Figures>`select n_tup_upd::int as updates, n_tup_hot_upd::int as hot,
      (pg_current_wal_insert_lsn() - '0/0')::float8 as wal_bytes,
      (select jsonb_object_agg(relname, seq_scan + coalesce(idx_scan, 0)) from pg_stat_user_tables where relname ~ '^events_p') as scans
    from pg_stat_user_tables where relid = 'directory.event_streams'::regclass`.execute(admin);
  if (!rows[0]) throw new Error('no statistics');
  return rows[0];
};

/** Every event updates its tenant's stream. A HOT update writes to no index, and its old version needs no vacuum. */
test(`updates of event streams are HOT, and the relay reads one partition (${count} events)`, { timeout }, async () => {
  const { tenantId } = await aTenant();
  const lag = async () => {
    const { rows } = await sql<{ lag: number }>`select (last_position - delivered_position)::int as lag
      from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
    return rows[0]?.lag;
  };
  const write = (n: number) => inside(tenantId, (ctx) => emit(ctx, happened, 'x', { n }));
  const measure = async (label: string, min: number, work: () => Promise<void>) => {
    const before = await read();
    await work();
    // Connections publish their statistics after some seconds.
    await expect
      .poll(async () => (await read()).updates - before.updates, { interval: 500 })
      .toBeGreaterThanOrEqual(min);
    const after = await read();
    const [updates, hot] = [after.updates - before.updates, after.hot - before.hot];
    const bytes = Math.round((after.walBytes - before.walBytes) / count);
    const partitions = Object.entries(after.scans);
    const readOnes = partitions.filter(([name, scans]) => scans > (before.scans[name] ?? 0));
    console.log(
      `${label}: ${hot} of ${updates} updates HOT, ${bytes} bytes of WAL per event, ${readOnes.length} of ${partitions.length} partitions read`,
    );
    expect(hot / updates).toBeGreaterThan(0.9); // not all: a page that is full is left once
    expect(readOnes.length).toBeLessThanOrEqual(2); // two around midnight
  };
  await measure('written', count, async () => {
    for (let n = 0; n < count; n++) await write(n);
  });
  const log = createLog('test', 'silent');
  const relay = startRelay({ services, subscribers: [async () => {}], log, sweepMs: 100 });
  onTestFinished(relay.stop);
  await expect.poll(lag).toBe(0);
  await measure('written and delivered one by one', 2 * count, async () => {
    for (let n = 0; n < count; n++) {
      await write(n);
      relay.wake();
      await expect.poll(lag, { interval: 2 }).toBe(0);
    }
  });
});
