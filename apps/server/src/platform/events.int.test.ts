import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { admin, aTenant, eventsOf, inside, services, type TestTenant } from '../../test/harness.ts';
import type { Context, Services } from './context.ts';
import { eventsAfter } from './events.store.ts';
import { defineEvent, emit } from './events.ts';
import type { Id } from './ids.contract.ts';
import { firstId, newId } from './ids.ts';
import { startRelay, type Subscriber } from './relay.ts';
import { createLog } from './telemetry.ts';

const happened = defineEvent('test.emitted', z.object({ n: z.int() }), { isPublic: false });

/** Whether another transaction of the tenant could publish an event now. */
const isStreamFree = async ({ tenantId }: TestTenant) => {
  const stream = sql`select from directory.event_streams where tenant_id = ${tenantId} for update skip locked`;
  return (await stream.execute(admin)).rows.length === 1;
};
const bodiesOf = async ({ tenantId }: TestTenant) => {
  const rows = await admin
    .selectFrom('events')
    .select(['position', 'body'])
    .where('tenantId', '=', tenantId)
    .where('type', '=', happened.type)
    .orderBy('position')
    .execute();
  return rows.map(({ position, body }) => ({
    position: Number(position),
    ...(JSON.parse(body) as { sequence: number; data: { n: number } }),
  }));
};

test('does not lock the stream of the tenant until everything else in the transaction is written', async () => {
  const tenant = await aTenant();
  await inside(tenant.tenantId, async (ctx) => {
    await emit(ctx, happened, 'x', { n: 1 });
    await ctx.tx.updateTable('tenants').set({ name: 'Written after the event' }).execute();
    expect(await isStreamFree(tenant)).toBe(true);
    expect(await bodiesOf(tenant)).toEqual([]);
  });
  expect(await bodiesOf(tenant)).toMatchObject([{ data: { n: 1 } }]);
});

test('gives the events of a transaction consecutive positions, in the order in which they were emitted', async () => {
  const tenant = await aTenant();
  const before = (await eventsOf(tenant.tenantId)).length;
  await inside(tenant.tenantId, async (ctx) => {
    await emit(ctx, happened, 'x', { n: 1 });
    await emit(ctx, happened, 'x', { n: 2 }, { sequence: 77 });
    await emit(ctx, happened, 'x', { n: 3 });
  });
  await inside(tenant.tenantId, (ctx) => emit(ctx, happened, 'x', { n: 4 }, { sequence: 78 }));
  expect(await bodiesOf(tenant)).toMatchObject([
    { position: before + 1, sequence: before + 1, data: { n: 1 } },
    { position: before + 2, sequence: 77, data: { n: 2 } },
    { position: before + 3, sequence: before + 3, data: { n: 3 } },
    { position: before + 4, sequence: 78, data: { n: 4 } },
  ]);
});

test('writes an event with the id of a step once, and nothing if the transaction fails', async () => {
  const tenant = await aTenant();
  const id = newId('event');
  const attempt = () =>
    inside(tenant.tenantId, async (ctx) => {
      await emit(ctx, happened, 'x', { n: 1 }, { id });
      await emit(ctx, happened, 'x', { n: 1 }, { id });
    });
  await attempt();
  await attempt();
  const failing = inside(tenant.tenantId, async (ctx) => {
    await emit(ctx, happened, 'x', { n: 2 });
    throw new Error('fails on purpose');
  });
  await expect(failing).rejects.toThrow('fails on purpose');
  expect((await bodiesOf(tenant)).map(({ data }) => data.n)).toEqual([1]);
});

/** An id from a step that started hours before its event was written, or from a process whose clock is late. */
const oldId = () => `${firstId('event', Date.now() - 20 * 3_600_000)}${newId('event').slice(-16)}` as Id<'event'>;

/** Runs `work` once, between the lease of a stream and the relay's first read, which is the first transaction. */
function withWorkBeforeRead(work: () => Promise<void>): Services {
  let done: Promise<void> | undefined;
  const executor = replacing(services.db.getExecutor(), 'provideConnection', async (consumer: never) => {
    await (done ??= work());
    return services.db.getExecutor().provideConnection(consumer);
  });
  return { ...services, db: replacing(services.db, 'getExecutor', () => executor) };
}

const replacing = <T extends object>(whole: T, name: keyof T, part: unknown): T =>
  new Proxy(whole, {
    get: (target, key) => {
      const value: unknown = key === name ? part : Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

test('the relay delivers every event in order, also if later ones have older ids', async () => {
  const { tenantId } = await aTenant();
  const write = (id?: Id<'event'>) => inside(tenantId, (ctx) => emit(ctx, happened, 'x', { n: 0 }, id ? { id } : {}));
  const first = (await eventsOf(tenantId)).length;
  const leased = await admin.selectFrom('events').select('id').where('tenantId', '=', tenantId).orderBy('id').execute();
  /** Among the ids that the lease knows of: from a clock that is a little late. */
  const second = leased[1]?.id ?? '';
  const lateIds = ['x', 'y', 'z'].flatMap((last) =>
    second.endsWith(last) ? [] : (`${second.slice(0, -1)}${last}` as Id<'event'>),
  );
  const delivered: number[] = [];
  const subscriber: Subscriber = async (owner, events) => {
    if (owner !== tenantId) return;
    const isFirstBatch = delivered.length === 0;
    delivered.push(...events.map(({ position }) => position));
    if (isFirstBatch) await write(oldId()); // while a batch is being delivered
  };
  const relay = startRelay({
    // The lease knows neither of the old ids nor of the events after them.
    services: withWorkBeforeRead(async () => {
      for (const id of [oldId(), lateIds[0], oldId(), lateIds[1]]) await write(id);
    }),
    subscribers: [subscriber],
    log: createLog('test', 'silent'),
    sweepMs: 50,
    batchSize: 100,
  });
  onTestFinished(relay.stop);
  await expect.poll(() => delivered.at(-1)).toBeGreaterThanOrEqual(first + 5);
  expect(delivered).toEqual(Array.from({ length: first + 5 }, (_, n) => n + 1));
});

/** How many partitions were scanned so far, in this connection's statistics that are not published yet. */
const scansOf = async ({ tx }: Context) => {
  const { rows } = await sql<{ scans: number }>`select sum(seq_scan + coalesce(idx_scan, 0))::int as scans
    from pg_stat_xact_user_tables where relname ~ '^events_p'`.execute(tx);
  return rows[0]?.scans ?? 0;
};

test('the relay reads only the partitions that contain undelivered events', async () => {
  const tenant = await aTenant();
  const stream = async () => {
    const { rows } = await sql<{ lowest: string; highest: string; last: string }>`
      select lowest_id as lowest, highest_id as highest, last_position as last
      from directory.event_streams where tenant_id = ${tenant.tenantId}`.execute(admin);
    return rows[0] ?? { lowest: '', highest: '', last: '0' };
  };
  const partitionsRead = async (withRange: boolean) => {
    const { lowest, highest, last } = await stream();
    const range = withRange ? { lastPosition: Number(last), ids: { lowest, highest } } : {};
    return inside(tenant.tenantId, async (ctx) => {
      const before = await scansOf(ctx);
      expect(await eventsAfter(ctx, 0, 200, range)).toHaveLength(Number(last));
      return (await scansOf(ctx)) - before;
    });
  };
  const all = await partitionsRead(false);
  expect(all).toBeGreaterThanOrEqual(16);
  // More often than it takes to get a prepared statement, and one with a generic plan.
  const counts: number[] = [];
  for (let n = 0; n < 30; n++) counts.push(await partitionsRead(true));
  expect(new Set(counts)).toEqual(new Set([1]));
});
