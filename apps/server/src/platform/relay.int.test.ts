import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, services } from '../../test/harness.ts';
import { createLog } from './telemetry.ts';
import { startRelay, type Subscriber } from './relay.ts';

const log = createLog('test', 'silent');
const run = (subscribers: Subscriber[], more = {}) => startRelay({ services, subscribers, log, sweepMs: 50, ...more });
const lagOf = async (tenantId: string) => {
  const { rows } = await sql<{ lag: number }>`select (last_position - delivered_position)::int as lag
    from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
  return rows[0]?.lag;
};
/** Until when a relay has it, and what time it is there. */
const leaseOf = async (tenantId: string) => {
  const { rows } = await sql<{ until: Date; now: Date }>`select leased_until as until, clock_timestamp() as now
    from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
  return { until: rows[0]?.until ?? new Date(0), now: rows[0]?.now ?? new Date(0) };
};
/** Many events of one tenant: renaming is the cheapest thing that tells. */
const make = async (tenant: Awaited<ReturnType<typeof aTenant>>, count: number) => {
  for (let n = 0; n < count; n++) await tenant.patch('/tenant', { name: `Name ${n}` });
};

test('every event is handed on, in its tenant’s order, also across batches', async () => {
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
  expect(seen.length).toBeGreaterThanOrEqual(29); // what a new tenant tells of itself, and the names
  expect(seen).toEqual(seen.map((_position, n) => n + 1));
});

test('a wake is heard at once: nobody waits for the next look', async () => {
  const relay = run([async () => {}], { sweepMs: 3_600_000 });
  const tenant = await aTenant();
  relay.wake();
  await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
  await sleep(100); // it has looked once more, and sleeps: the next look is an hour away
  await make(tenant, 1);
  expect(await lagOf(tenant.tenantId)).toBe(1);
  relay.wake();
  await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
  await relay.stop();
});

test('a tenant whose events take long holds up nobody else', async () => {
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

test('a subscriber that fails holds back its tenant only, and goes on by itself where it stopped', async () => {
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

test('a subscriber that takes longer than the lease is not overtaken: two relays tell each event once', async () => {
  const tenant = await aTenant();
  const told: number[] = [];
  const slow: Subscriber = async (tenantId, events) => {
    if (tenantId !== tenant.tenantId) return;
    const first = await leaseOf(tenantId);
    await expect.poll(async () => (await leaseOf(tenantId)).now > first.until, { interval: 50 }).toBe(true);
    told.push(...events.map(({ position }) => position));
  };
  const relays = [run([slow], { leaseSeconds: 2 }), run([slow], { leaseSeconds: 2 })];
  await expect.poll(() => lagOf(tenant.tenantId)).toBe(0);
  await Promise.all(relays.map((relay) => relay.stop()));
  expect(told).toEqual(told.map((_position, n) => n + 1));
});

test('a stream whose rows are gone is told of and waits longer each time, instead of being asked without end', async () => {
  const tenant = await aTenant();
  await sql`delete from events where tenant_id = ${tenant.tenantId}`.execute(admin);
  const held: { at: number; seconds: number }[] = [];
  const relay = run([async () => {}], {
    log: {
      ...log,
      error: ({ tenantId, retryInSeconds: seconds }: { tenantId: string; retryInSeconds: number }) => {
        if (tenantId === tenant.tenantId) held.push({ at: Date.now(), seconds }); // other tests have streams too
      },
    },
  });
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(3);
  await relay.stop();
  expect(held.slice(0, 3).map(({ seconds }) => seconds)).toEqual([0.5, 1, 2]);
  // Not a millisecond: it is the database's clock that decides.
  for (const [n, { at, seconds }] of held.slice(0, 2).entries())
    expect((held[n + 1]?.at ?? 0) - at).toBeGreaterThan(seconds * 1_000 - 100);
});
