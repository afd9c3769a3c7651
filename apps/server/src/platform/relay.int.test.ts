import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countFlights } from '../../test/flights.ts';
import { admin, aTenant, services, urlAs } from '../../test/harness.ts';
import { connect } from './db.ts';
import { createLog } from './telemetry.ts';
import { startRelay, type Subscriber } from './relay.ts';

const log = createLog('test', 'silent');
const run = (subscribers: Subscriber[], more = {}) => startRelay({ services, subscribers, log, sweepMs: 50, ...more });
const lagOf = async (tenantId: string) => {
  const { rows } = await sql<{ lag: number }>`select (last_position - delivered_position)::int as lag
    from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
  return rows[0]?.lag;
};
/** When the lease ends, and the current time of the database. */
const leaseOf = async (tenantId: string) => {
  const { rows } = await sql<{ until: Date; now: Date }>`select leased_until as until, clock_timestamp() as now
    from directory.waiting_streams where tenant_id = ${tenantId}`.execute(admin);
  return { until: rows[0]?.until ?? new Date(0), now: rows[0]?.now ?? new Date(0) };
};
/** Creates many events of one tenant: renaming is the cheapest way. */
const make = async (tenant: Awaited<ReturnType<typeof aTenant>>, count: number) => {
  for (let n = 0; n < count; n++) await tenant.patch('/tenant', { name: `Name ${n}` });
};

test('delivers every event in the order of its tenant, also across batches', async () => {
  const tenant = await aTenant();
  await make(tenant, 25);
  const seen: number[] = [];
  const relay = run(
    [
      async (tenantId, events) =>
        void (tenantId === tenant.tenantId && seen.push(...events.map(({ position }) => position))),
    ],
    { batchSize: 10 },
  );
  await expect.poll(() => lagOf(tenant.tenantId)).toBe(0);
  await relay.stop();
  expect(seen.length).toBeGreaterThanOrEqual(29); // the events of a new tenant, and the renames
  expect(seen).toEqual(seen.map((_position, n) => n + 1));
});

test('wake() triggers a poll immediately', async () => {
  const relay = run([async () => {}], { sweepMs: 3_600_000 });
  const tenant = await aTenant();
  relay.wake();
  await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
  await sleep(100); // idle now: the next poll is an hour away
  await make(tenant, 1);
  expect(await lagOf(tenant.tenantId)).toBe(1);
  relay.wake();
  await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
  await relay.stop();
});

test('a tenant with slow events does not delay other tenants', async () => {
  const [busy, other] = [await aTenant(), await aTenant()];
  await make(busy, 20);
  const mayEnd = Promise.withResolvers<void>();
  const relay = run([async (tenantId) => void (tenantId === busy.tenantId && (await mayEnd.promise))], {
    batchSize: 5,
  });
  await expect.poll(() => lagOf(other.tenantId)).toBe(0);
  await make(other, 1);
  relay.wake();
  await expect.poll(() => lagOf(other.tenantId), { interval: 5 }).toBe(0);
  expect(await lagOf(busy.tenantId)).toBeGreaterThanOrEqual(20); // still at its first batch
  mayEnd.resolve();
  await expect.poll(() => lagOf(busy.tenantId)).toBe(0);
  await relay.stop();
});

test('a failing subscriber delays only its tenant, and resumes where it stopped', async () => {
  const [ill, well] = [await aTenant(), await aTenant()];
  let isBroken = true;
  const seen: number[] = [];
  const relay = run([
    async (tenantId, events) => {
      if (tenantId !== ill.tenantId) return;
      if (isBroken) throw new Error('broken on purpose');
      seen.push(...events.map(({ position }) => position));
    },
  ]);
  await expect.poll(() => lagOf(well.tenantId)).toBe(0);
  expect(await lagOf(ill.tenantId)).toBeGreaterThan(0);
  isBroken = false;
  await expect.poll(() => lagOf(ill.tenantId)).toBe(0);
  expect(seen[0]).toBe(1);
  await relay.stop();
});

test('renews the lease for a slow subscriber, so that two relays deliver each event once', async () => {
  const tenant = await aTenant();
  const delivered: number[] = [];
  const slow: Subscriber = async (tenantId, events) => {
    if (tenantId !== tenant.tenantId) return;
    const first = await leaseOf(tenantId);
    await expect.poll(async () => (await leaseOf(tenantId)).now > first.until, { interval: 50 }).toBe(true);
    delivered.push(...events.map(({ position }) => position));
  };
  const relays = [run([slow], { leaseSeconds: 2 }), run([slow], { leaseSeconds: 2 })];
  await expect.poll(() => lagOf(tenant.tenantId)).toBe(0);
  await Promise.all(relays.map((relay) => relay.stop()));
  expect(delivered).toEqual(delivered.map((_position, n) => n + 1));
});

test('takes two flights per batch of events: one reads it, one records the position', async () => {
  const proxy = await countFlights(urlAs('parley_app'));
  const db = connect(proxy.url, { max: 1 });
  const tenant = await aTenant();
  const deliverAll = async (more = {}) => {
    const relay = run([async () => {}], { sweepMs: 3_600_000, services: { ...services, db }, ...more });
    const due = sql`select from directory.waiting_streams where leased_until < clock_timestamp() and failures = 0`;
    await expect.poll(async () => (await due.execute(admin)).rows.length, { interval: 5 }).toBe(0);
    await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
    await relay.stop();
  };
  const counts: number[] = [];
  for (let n = 0; n < 3; n++) {
    await deliverAll(); // also the events of other tests
    await make(tenant, 20);
    counts.push((await proxy.during(() => deliverAll({ batchSize: 5 }))).flights);
  }
  const polls = 3; // one that finds the tenant, one while its events are delivered, one afterwards
  expect(Math.min(...counts)).toBeLessThanOrEqual(2 * 4 + polls);
  await db.destroy();
  proxy.close();
});

test('logs a stream whose rows are missing and backs off', async () => {
  const tenant = await aTenant();
  await sql`delete from events where tenant_id = ${tenant.tenantId}`.execute(admin);
  const deferred: { at: number; seconds: number }[] = [];
  const relay = run([async () => {}], {
    log: {
      ...log,
      error: ({ tenantId, retryInSeconds: seconds }: { tenantId: string; retryInSeconds: number }) => {
        if (tenantId === tenant.tenantId) deferred.push({ at: Date.now(), seconds }); // other tests have streams too
      },
    },
  });
  await expect.poll(() => deferred.length).toBeGreaterThanOrEqual(3);
  await relay.stop();
  expect(deferred.slice(0, 3).map(({ seconds }) => seconds)).toEqual([0.5, 1, 2]);
  // Not exact to the millisecond: the clock of the database decides.
  for (const [n, { at, seconds }] of deferred.slice(0, 2).entries())
    expect((deferred[n + 1]?.at ?? 0) - at).toBeGreaterThan(seconds * 1_000 - 100);
});
