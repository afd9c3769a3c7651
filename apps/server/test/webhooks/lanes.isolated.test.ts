import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openProxy } from '../../../../deploy/monitoring/drill/proxy.ts';
import { startLanes, type Lanes } from '../../src/features/webhooks/lanes/start-lanes.ts';
import { allHeads, newHeads } from '../../src/features/webhooks/lanes/lanes.cross-tenant.ts';
import { connect } from '../../src/platform/db.ts';
import { laneOf } from '../../src/platform/lane-hints.ts';
import type { SafeFetch } from '../../src/platform/safe-fetch.ts';
import { startDelivery } from '../../src/features/durable.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { openPlatform } from '../../src/platform/platform.ts';
import { admin, api, aTenant, services, settings, withLoadAllowance } from '../harness.ts';
import { emitTestEventIn } from './fixture.ts';

// Several workers in one process, with a receiver that is a function.

vi.setConfig({ testTimeout: 90_000 });
const { platform } = api;
const timings = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs: 0 };
const answer = (status: number) => ({
  status,
  headers: {},
  body: Buffer.alloc(0),
  timings,
  remoteAddress: '127.0.0.1',
});
const running = new Set<Lanes>();
afterEach(async () => {
  await Promise.all([...running].map((lanes) => lanes.stop(200)));
  running.clear();
  await sql`delete from webhook_queue`.execute(admin);
});

interface Arrival {
  url: string;
  key: string;
  at: number;
}
function aReceiver(respond: (url: string) => Promise<number> | number = () => 200) {
  const arrivals: Arrival[] = [];
  const fetch = async ({ url, headers }: { url: string; headers?: Record<string, string> }) => {
    arrivals.push({ url, key: headers?.['idempotency-key'] ?? '', at: Date.now() });
    return answer(await respond(url));
  };
  return { arrivals, fetch: Object.assign(fetch, { check: () => {} }) as unknown as SafeFetch };
}
function aWorker(fetch: SafeFetch, more: Partial<Parameters<typeof startLanes>[0]> = {}) {
  const lanes = startLanes({ ...platform, leaseDb: services.db, laneCount: 64, ...more, fetch });
  running.add(lanes);
  const stop = async () => {
    running.delete(lanes);
    await lanes.stop(5_000);
  };
  return { ...lanes, stop };
}
async function anEndpoint(path: string) {
  const tenant = await aTenant();
  const input = { url: `https://hooks.example.com/${path}`, eventTypes: ['*'], rateLimit: 1_000 };
  const created = await tenant.post('/webhooks', input);
  const { id } = created.json<{ webhook: { id: string } }>().webhook;
  return { tenantId: tenant.tenantId, id, url: input.url };
}
const eventually = <T>(check: () => T | Promise<T>, timeout = 30_000) => expect.poll(check, { timeout, interval: 50 });
const isQueueEmpty = async () => (await admin.selectFrom('webhookQueue').select('id').limit(1).execute()).length === 0;

test('four workers have a quarter of the lanes each; when one leaves or joins, lanes are spread again and nothing is sent twice', async () => {
  const { arrivals, fetch } = aReceiver(async () => {
    await sleep(Math.random() * 30);
    return 200;
  });
  const endpoints = await Promise.all(Array.from({ length: 12 }, (_, n) => anEndpoint(`spread-${n}`)));
  const workers = Array.from({ length: 4 }, () => aWorker(fetch));
  const spread = (of = workers) => of.map((one) => one.lanes().length);
  /** Every lane has a worker, and no worker more than its share; when it isn't a whole number, some have less. */
  const isFair = (counts: number[]) =>
    counts.reduce((sum, count) => sum + count, 0) === 64 && Math.max(...counts) <= Math.ceil(64 / counts.length);
  await eventually(() => spread(), 10_000).toSatisfy(isFair);
  let [sent, isOver] = [0, false];
  onTestFinished(() => void (isOver = true)); // or a failure would also fail the tests after it
  const emitting = (async () => {
    for (; !isOver; sent++) {
      await emitTestEventIn(services, endpoints[sent % endpoints.length]?.tenantId ?? 'ten_', sent);
      await sleep(5);
    }
  })();
  await sleep(300);
  const [first, ...others] = workers;
  await first?.stop();
  await eventually(() => spread(others), 10_000).toSatisfy(isFair);
  const joined = aWorker(fetch);
  await eventually(() => spread([...others, joined]), 10_000).toSatisfy(isFair);
  await sleep(300);
  isOver = true;
  await emitting;
  await eventually(isQueueEmpty).toBe(true);
  const keys = arrivals.map(({ key }) => key);
  expect([new Set(keys).size, keys.length]).toEqual([sent, sent]);
});

test('a worker keeps its lanes while other transactions wait for its connections', async () => {
  const busy = await openPlatform('worker', loadConfig(settings({ DATABASE_POOL_SIZE: '1' })));
  const { fetch } = aReceiver();
  const lanes = startDelivery(busy, { fetch });
  await eventually(() => lanes.lanes().length).toBe(64);
  const served: number[] = [];
  const watching = setInterval(() => served.push(lanes.served()), 100);
  await Promise.all(Array.from({ length: 10 }, () => sql`select pg_sleep(0.5)`.execute(busy.services.db)));
  clearInterval(watching);
  expect(new Set(served)).toEqual(new Set([64]));
  await lanes.stop(200);
  await busy.close();
});

/** How long deliveries to the good endpoint took, while others hang: p99, in ms. */
async function slowestBeside(hanging: number, { isProven }: { isProven: boolean }) {
  let hangs = !isProven;
  const { arrivals, fetch } = aReceiver(async (url) => {
    if (hangs && url.includes('hangs')) await sleep(15_000, undefined, { ref: false });
    return 200;
  });
  const good = await anEndpoint('good');
  const bad = await Promise.all(Array.from({ length: hanging }, (_, n) => anEndpoint(`hangs-${n}`)));
  aWorker(fetch, { laneCount: 1 });
  for (const { tenantId } of [good, ...(isProven ? bad : [])]) await emitTestEventIn(services, tenantId, 0);
  await eventually(isQueueEmpty).toBe(true);
  hangs = true;
  for (const { tenantId, id } of bad)
    await sql`insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, next_attempt_at, created_at)
      select ${tenantId}, 'dlv_' || right(${id}, 20) || lpad(n::text, 6, '0'), ${id}, e.id, 'test.happened', n, now(), now()
      from generate_series(1, 300) as n, (select id from events order by id desc limit 1) e`.execute(admin);
  // A body for these rows, in their tenants.
  for (const { tenantId } of bad) await emitTestEventIn(services, tenantId, 1);
  await sql`update webhook_queue q set event_id = e.id from events e where e.tenant_id = q.tenant_id and q.webhook_id <> ${good.id}`.execute(
    admin,
  );
  for (const { tenantId } of bad) await emitTestEventIn(services, tenantId, 2);
  const emitted = new Map<number, number>();
  for (let n = 100; n < 150; n++) {
    emitted.set(n, Date.now());
    await emitTestEventIn(services, good.tenantId, n);
    await sleep(50);
  }
  const own = () => arrivals.filter(({ url }) => url === good.url).slice(1);
  await eventually(() => own().length, 12_000).toBe(50);
  expect(arrivals.filter(({ url }) => url.includes('hangs')).length).toBeGreaterThan(hanging);
  const times = [...emitted.values()];
  return Math.max(...own().map(({ at }, n) => at - (times[n] ?? 0)));
}

test.each([
  ['that have never responded', false],
  ['that responded until now', true],
])('thirty endpoints %s and hang do not delay their neighbour in the lane', async (_which, isProven) => {
  const slowest = await slowestBeside(30, { isProven });
  console.log(`lanes: the slowest delivery beside 30 endpoints that hang took ${slowest} ms`);
  expect(slowest).toBeLessThan(await withLoadAllowance(1_000));
});

test('delivers without hints, within the interval at which a worker looks for what is due', async () => {
  const { arrivals, fetch } = aReceiver();
  const { tenantId, id } = await anEndpoint('lost-hint');
  const worker = aWorker(fetch, { lookEveryMs: 200 });
  await eventually(() => worker.lanes().length).toBe(64);
  const silent = { ...services, notify: () => {} };
  for (let n = 0; n < 3; n++) {
    await emitTestEventIn(silent, tenantId, n);
    await eventually(() => arrivals.length, 5_000).toBe(n + 1);
  }
  // A retry is found by the owner itself, also if it is not the one that has scheduled it.
  await worker.stop();
  await emitTestEventIn(silent, tenantId, 3);
  await sql`update webhook_queue set next_attempt_at = now() + interval '2 seconds', retry_count = 1 where webhook_id = ${id}`.execute(
    admin,
  );
  const since = Date.now();
  aWorker(fetch, { lookEveryMs: 60_000 });
  await eventually(() => arrivals.length, 10_000).toBe(4);
  expect((arrivals[3]?.at ?? 0) - since).toBeGreaterThan(1_000);
});

test('shows how long deliveries wait while nothing can be claimed', async () => {
  const { arrivals, fetch } = aReceiver();
  const { tenantId } = await anEndpoint('unclaimed');
  const worker = aWorker(fetch, { lookEveryMs: 200 });
  await eventually(() => worker.served()).toBe(64);
  await sql`create function refuse_claims() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`.execute(
    admin,
  );
  await sql`create trigger refuse before update on webhook_queue execute function refuse_claims()`.execute(admin);
  await emitTestEventIn(services, tenantId, 1);
  await eventually(() => worker.oldestDueSeconds()).toBeGreaterThan(3);
  expect(arrivals).toEqual([]);
  await sql`drop function refuse_claims cascade`.execute(admin);
  await eventually(() => arrivals.length).toBe(1);
  await eventually(() => worker.oldestDueSeconds()).toBeLessThan(1);
});

test('shows no lanes while the worker cannot renew its lease, and all of them when it can again', async () => {
  const proxy = await openProxy(settings()['DATABASE_URL'] ?? '');
  const db = connect(proxy.url, { max: 2, connectMs: 1_000 });
  const worker = aWorker(aReceiver().fetch, { services: { ...services, db }, leaseDb: db });
  await eventually(() => worker.served()).toBe(64);
  proxy.cut();
  await eventually(() => worker.served()).toBe(0);
  proxy.restore();
  await eventually(() => worker.served()).toBe(64);
  await worker.stop();
  await db.destroy();
  proxy.close();
});

test('delivers what was queued while its worker could not be told, after Valkey is back', async () => {
  const { arrivals, fetch } = aReceiver();
  const { tenantId } = await anEndpoint('gap');
  const gaps: (() => void)[] = [];
  const signals = { ...platform.signals, onGap: (recover: () => void) => (gaps.push(recover), () => {}) };
  const worker = aWorker(fetch, { signals, lookEveryMs: 60_000 });
  await eventually(() => worker.lanes().length).toBe(64);
  await emitTestEventIn({ ...services, notify: () => {} }, tenantId, 1);
  await sleep(300);
  expect(arrivals).toEqual([]);
  for (const recover of gaps) recover();
  await eventually(() => arrivals.length).toBe(1);
});

test('finds the first delivery of each endpoint in its lanes, and reads what became due lately without what waits for longer', async () => {
  const endpoints = await Promise.all(Array.from({ length: 8 }, (_, n) => anEndpoint(`heads-${n}`)));
  for (const [n, { tenantId, id }] of endpoints.entries())
    await sql`insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, next_attempt_at, created_at)
      select ${tenantId}, 'dlv_' || right(${id}, 20) || lpad(n::text, 6, '0'), ${id}, 'evt_1', 'test.happened', n,
        now() - make_interval(hours => ${n % 2 === 0 ? 0 : 1}, secs => n::numeric / 1000), now()
      from generate_series(1, 500) as n`.execute(admin);
  const byLane = Map.groupBy(endpoints, ({ id }) => laneOf(id, 4));
  for (let lane = 0; lane < 4; lane++) {
    const ids = (byLane.get(lane) ?? []).map(({ id }) => id).toSorted();
    const all = await allHeads(services.db, [lane], 4);
    expect(all.map(({ webhookId }) => webhookId)).toEqual(ids);
  }
  const recent = endpoints.filter((_, n) => n % 2 === 0).map(({ id }) => id);
  const found = await newHeads(services.db, [0, 1, 2, 3], 4);
  expect(found.map(({ webhookId }) => webhookId).toSorted()).toEqual(recent.toSorted());
});
