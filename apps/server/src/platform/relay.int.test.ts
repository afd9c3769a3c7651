import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, ground } from '../../test/harness.ts';
import { createLog } from './telemetry.ts';
import { startRelay, type Subscriber } from './relay.ts';

const log = createLog('test', 'silent');
const run = (subscribers: Subscriber[], more = {}) => startRelay({ ground, subscribers, log, sweepMs: 50, ...more });
const lagOf = async (tenantId: string) => {
  const { rows } = await sql<{ lag: number }>`select (last_position - handed_on)::int as lag
    from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
  return rows[0]?.lag;
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
  const heard: number[] = [];
  const relay = run([async () => void heard.push(Date.now())], { sweepMs: 60_000 });
  const tenant = await aTenant();
  await sleep(300); // whatever was waiting is done; the next look is a minute away
  await make(tenant, 1);
  const began = Date.now();
  relay.wake();
  await expect.poll(() => lagOf(tenant.tenantId), { interval: 5 }).toBe(0);
  expect(Date.now() - began).toBeLessThan(500);
  await relay.stop();
});

test('a tenant whose events take long holds up nobody else', async () => {
  const [busy, other] = [await aTenant(), await aTenant()];
  await make(busy, 20);
  const relay = run(
    [async (tenantId, events) => void (tenantId === busy.tenantId && (await sleep(100 * events.length)))],
    { batchSize: 5 },
  );
  await expect.poll(() => lagOf(other.tenantId)).toBe(0);
  expect(await lagOf(busy.tenantId)).toBeGreaterThan(0);
  await make(other, 1);
  const began = Date.now();
  relay.wake();
  await expect.poll(() => lagOf(other.tenantId), { interval: 5 }).toBe(0);
  expect(Date.now() - began).toBeLessThan(400);
  expect(await lagOf(busy.tenantId)).toBeGreaterThan(0); // still at it: this test would prove nothing otherwise
  await relay.stop();
}, 20_000);

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
  await expect.poll(() => lagOf(ill.tenantId), { timeout: 10_000 }).toBe(0);
  expect(seen[0]).toBe(1);
  await relay.stop();
}, 20_000);

test('a subscriber that takes longer than the lease is not overtaken: two relays tell each event once', async () => {
  const tenant = await aTenant();
  const told: number[] = [];
  const slow: Subscriber = async (tenantId, events) => {
    if (tenantId !== tenant.tenantId) return;
    await sleep(2_500);
    told.push(...events.map(({ position }) => position));
  };
  const relays = [run([slow], { leaseSeconds: 1 }), run([slow], { leaseSeconds: 1 })];
  await expect.poll(() => lagOf(tenant.tenantId), { timeout: 10_000 }).toBe(0);
  await Promise.all(relays.map((relay) => relay.stop()));
  expect(told).toEqual(told.map((_position, n) => n + 1));
}, 20_000);

test('a stream whose rows are gone is told of and waits longer each time, instead of being asked without end', async () => {
  const tenant = await aTenant();
  await sql`delete from events where tenant_id = ${tenant.tenantId}`.execute(admin);
  const relay = run([async () => {}]);
  await sleep(1_500);
  const { rows } = await sql<{
    failures: number;
  }>`select failures from directory.event_streams where tenant_id = ${tenant.tenantId}`.execute(admin);
  expect(rows[0]?.failures).toBeGreaterThanOrEqual(1);
  expect(rows[0]?.failures).toBeLessThanOrEqual(3); // after 0, 0.5 and 1.5 s
  await relay.stop();
});
