import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { countOf } from '../../../../tools/testing/size.ts';
import { laneOf } from '../../src/platform/lane-hints.ts';
import { startChild, type Child } from '../faults/child.ts';
import { admin, as, aTenant, settings, withLoadAllowance } from '../harness.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from './fixture.ts';
import { compareLedgers, waitForEmptyQueue } from './ledger.ts';

// Two workers. The one that owns an endpoint's lane is killed, or paused and continued.

vi.setConfig({ testTimeout: 240_000 });
const stack = await aWebhookStack();
const { receiver, api, webhookSettings } = stack;
await stack.worker.stop(); // replaced by processes
const laneCount = 64;

async function aWorker(): Promise<Child & { id: () => number }> {
  const port = String(await freePort());
  const child = startChild('src/worker.ts', settings({ ...webhookSettings, WORKER_PORT: port, LOG_LEVEL: 'info' }));
  await child.ready;
  const lines = () => child.lines.filter((line) => line.includes('took delivery lanes'));
  const id = () => Number((JSON.parse(lines().at(-1) ?? '{"worker":0}') as { worker: string }).worker);
  await expect.poll(id, { timeout: 20_000 }).toBeGreaterThan(0);
  return { ...child, id };
}
const ownerOf = async (webhookId: string) => {
  const { rows } = await sql<{ owner: string }>`select owner from directory.webhook_lanes
    where lane_count = ${laneCount} and lane = ${laneOf(webhookId, laneCount)}`.execute(admin);
  return Number(rows[0]?.owner);
};
const isShared = async (workers: readonly { id(): number }[]) => {
  const { rows } = await sql<{ owner: string; n: number }>`select owner, count(*)::int as n from directory.webhook_lanes
    where lane_count = ${laneCount} group by 1`.execute(admin);
  return workers.every((worker) => rows.some(({ owner, n }) => Number(owner) === worker.id() && n === 32));
};

async function anEndpoint(path: string) {
  const tenant = await aTenant();
  const client = as(tenant.headers, api.app);
  const created = await client.post('/webhooks', {
    url: `${receiver.url}/${path}`,
    eventTypes: ['test.*'],
    rateLimit: 1_000,
  });
  const { webhook, secret } = created.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  const calls = () => receiver.calls.filter((call) => call.path === `/${path}`);
  return { tenant, id: webhook.id, calls };
}

const kills = countOf('OWNER_KILLS', { sample: 2, full: 100 });
test(
  `another worker delivers within three seconds when the owner of a lane is killed, ${kills} times`,
  { timeout: 120_000 + kills * 15_000 },
  async () => {
    let workers = [await aWorker(), await aWorker()];
    const { tenant, id, calls } = await anEndpoint('killed');
    let [sent, isOver] = [0, false];
    const emitting = (async () => {
      for (; !isOver; sent++) {
        await emitTestEvent(tenant, sent);
        await sleep(25);
      }
    })();
    const gaps: number[] = [];
    for (let n = 0; n < kills; n++) {
      await expect.poll(() => isShared(workers), { timeout: 20_000, interval: 50 }).toBe(true);
      const owner = await ownerOf(id);
      const victim = workers.find((worker) => worker.id() === owner);
      if (!victim) throw new Error(`no worker has the id ${owner}`);
      await sleep(300 + Math.random() * 700);
      const killedAt = Date.now();
      victim.signal('SIGKILL');
      await victim.ended;
      const after = calls().length;
      await expect.poll(() => calls().length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(after);
      gaps.push(Date.now() - killedAt);
      workers = [...workers.filter((worker) => worker !== victim), await aWorker()];
    }
    isOver = true;
    await emitting;
    await waitForEmptyQueue(admin, 60_000);
    const sorted = gaps.toSorted((a, b) => a - b);
    console.log(
      `lanes: ${kills} owners killed; first delivery by another after ms: p50 ${sorted[Math.floor(kills / 2)]}, worst ${sorted.at(-1)}`,
    );
    await compareLedgers(admin, receiver, `${kills} owners killed`);
    expect(sorted[Math.floor(kills * 0.99)] ?? 0).toBeLessThan(await withLoadAllowance(3_000));
    for (const worker of workers) worker.signal('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
  },
);

test('a worker that was paused while another took its lanes over writes nothing about them, and starts over', async () => {
  const workers = [await aWorker(), await aWorker()];
  const { tenant, id, calls } = await anEndpoint('paused');
  const late: { end(): void }[] = [];
  receiver.respond = (call, response) => {
    if (call.path !== '/paused' || calls().length !== 2) return void response.writeHead(200).end();
    late.push({ end: () => response.writeHead(410).end() }); // would disable the endpoint
  };
  await expect.poll(() => isShared(workers), { timeout: 20_000 }).toBe(true);
  await emitTestEvent(tenant, 0);
  await expect.poll(() => calls().length).toBe(1);
  await waitForEmptyQueue(admin, 20_000);
  await emitTestEvent(tenant, 1);
  await expect.poll(() => late.length).toBe(1);
  const owner = await ownerOf(id);
  const paused = workers.find((worker) => worker.id() === owner);
  if (!paused) throw new Error('no worker has the lane');
  paused.signal('SIGSTOP');
  await waitForEmptyQueue(admin, 20_000);
  expect(await ownerOf(id)).not.toBe(owner);
  for (const one of late) one.end();
  await sleep(200);
  paused.signal('SIGCONT');
  // It has another id, and its share, when it is done with what it had in memory.
  await expect.poll(() => paused.id(), { timeout: 20_000 }).not.toBe(owner);
  await expect.poll(() => isShared(workers), { timeout: 20_000 }).toBe(true);
  await emitTestEvent(tenant, 2);
  await expect.poll(() => calls().length, { timeout: 20_000 }).toBe(4);
  await waitForEmptyQueue(admin, 20_000);
  const { rows } = await sql<{ status: string; log: { outcome: string }[] }>`
    select d.status, d.log from webhook_deliveries d where webhook_id = ${id} order by id`.execute(admin);
  expect(rows.map(({ status, log }) => [status, log.map(({ outcome }) => outcome)])).toEqual([
    ['succeeded', ['succeeded']],
    ['succeeded', ['unknown', 'succeeded']],
    ['succeeded', ['succeeded']],
  ]);
  const endpoint = await admin.selectFrom('webhooks').select('status').where('id', '=', id).executeTakeFirstOrThrow();
  expect(endpoint.status).toBe('active');
  for (const worker of workers) worker.signal('SIGKILL');
});
