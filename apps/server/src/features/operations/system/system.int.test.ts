import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startValkey } from '../../../../../../tools/stack/index.ts';
import { admin, anOperator, as, aTenant, services, inside, openApi, urlAs, ownDir } from '../../../../test/harness.ts';
import { createLog } from '../../../platform/telemetry.ts';
import { startSweeper } from '../../../platform/sweeper.ts';
import { releaseTimers, setTimer } from '../../../platform/timers.ts';
import type { System } from './system.contract.ts';

const operator = await anOperator('support');

async function getSystem(client: Pick<ReturnType<typeof as>, 'get'> = operator): Promise<System> {
  const response = await client.get('/admin/system');
  expect(response.statusCode, response.body).toBe(200);
  return response.json<System>();
}
const soon = { timeout: 8_000 };
const partOf = ({ parts }: System, name: string) => parts.find((part) => part.name === name);
const queueOf = ({ queues }: System, name: string) => queues?.find((queue) => queue.name === name);
const adviceOf = (part: { advice: { name: string }[] } | undefined) => part?.advice.map(({ name }) => name);

afterEach(async () => {
  await sql`truncate directory.timers, directory.emails, directory.sweeps, directory.waiting_streams`.execute(admin);
});

test('returns 200 with figures of healthy components, and advice for those that are down', async () => {
  const startedAt = Date.now();
  const system = await getSystem();
  expect(Date.now() - startedAt).toBeLessThan(2_500);
  expect(['ok', 'slow']).toContain(partOf(system, 'postgres')?.verdict); // depends on the load of this machine
  expect(partOf(system, 'postgres')?.figures.map(({ label }) => label)).toEqual([
    'Latency',
    'Connections',
    'Oldest transaction',
    'Size',
    'Partitions ahead',
  ]);
  expect(['ok', 'slow']).toContain(partOf(system, 'valkey')?.verdict);
  expect(partOf(system, 'restate')?.verdict).toBe('away');
  expect(adviceOf(partOf(system, 'restate'))).toEqual(['restate-away', 'restate-admin-unset']);
  expect(system.verdict).toBe('away');
});

test('lists running processes with the ids of their master keys', async () => {
  const { processes, parts } = await getSystem();
  expect(processes).toMatchObject([{ role: 'api', masterKeys: ['test'], pid: process.pid }]);
  expect(adviceOf(parts.find(({ name }) => name === 'processes'))).toEqual(['worker-missing']);

  const second = await openApi();
  await expect.poll(async () => (await getSystem()).processes?.length, soon).toBe(2);
  await second.close();
  expect((await getSystem()).processes?.length).toBe(1);
});

test('returns 200 while Valkey is down, reports no missing worker, and recovers when Valkey is back', async () => {
  const dir = ownDir('operations-valkey');
  const valkey = await startValkey(dir);
  const api = await openApi({ VALKEY_URL: valkey.url });
  onTestFinished(async () => {
    await api.close();
    await valkey.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const client = as(operator.headers, api.app);
  await expect.poll(async () => partOf(await getSystem(client), 'valkey')?.verdict, soon).toBe('ok');
  await valkey.kill();
  await expect.poll(async () => partOf(await getSystem(client), 'valkey')?.verdict, soon).toBe('away');
  const system = await getSystem(client);
  expect(adviceOf(partOf(system, 'valkey'))).toEqual(['valkey-away']);
  expect(system.processes).toBeNull();
  expect(partOf(system, 'processes')?.advice).toEqual([]);
  await valkey.start();
  await expect.poll(async () => partOf(await getSystem(client), 'valkey')?.verdict, soon).toBe('ok');
}, 30_000);

test('returns 200 within two seconds while PostgreSQL is slow', async () => {
  const slow = await slowProxyTo(new URL(urlAs('parley_app')));
  const api = await openApi({ DATABASE_URL: slow.url });
  onTestFinished(async () => {
    slow.close(); // first, or closing the API would wait for its delayed queries
    await api.close();
  });
  const client = as(operator.headers, api.app);
  await expect.poll(async () => partOf(await getSystem(client), 'postgres')?.verdict, soon).toBe('ok');
  slow.delayMs = 150; // in each direction
  await expect
    .poll(async () => adviceOf(partOf(await getSystem(client), 'postgres')), soon)
    .toEqual(['postgresql-slow']);
  slow.delayMs = 2_000;
  const startedAt = Date.now();
  // Works only while the operator's session is cached, which is for seconds: after that, PostgreSQL must authenticate it.
  const late = await client.get('/admin/system');
  expect(late.statusCode).toBe(200);
  expect(Date.now() - startedAt).toBeLessThan(2_500);
  expect(partOf(late.json<System>(), 'postgres')?.verdict).toBe('away');
  expect(late.json<System>().queues).toBeNull();
}, 30_000);

test('counts each queue with its oldest entry, and reports it as degraded only when that is late', async () => {
  const { tenantId } = await aTenant();
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  await inside(tenantId, async (ctx) => {
    await setTimer(ctx, 'turn', 'conv_a/turn_a', ago(90));
    await setTimer(ctx, 'turn', 'conv_b/turn_b', ago(10));
    await setTimer(ctx, 'knowledge-sync', 'ksrc_a', ago(-500)); // not due yet
    await setTimer(ctx, 'something-new', 'x', ago(700));
  });
  await sql`update directory.waiting_streams set oldest_at = now() - interval '40 seconds', failures = 3`.execute(
    admin,
  );
  await sql`insert into directory.emails (id, kind, recipient, data, created_at, due_at)
    values ('ltr_1', 'note', 'a@b.example', '{}', now() - interval '1 hour', now() - interval '1 minute')`.execute(
    admin,
  );
  await sql`update directory.webhook_workers set live_until = now() - interval '10 minutes'`.execute(admin);
  await sql`insert into directory.webhook_workers values (nextval('directory.webhook_worker_ids'), now() - interval '20 seconds')`.execute(
    admin,
  );
  await sql`delete from directory.webhook_lanes`.execute(admin);
  await sql`insert into directory.webhook_lanes (lane_count, lane) values (64, 0)`.execute(admin);
  const system = await getSystem();
  expect(queueOf(system, 'turn')).toMatchObject({ waiting: 2, isMore: false, verdict: 'degraded' });
  expect(queueOf(system, 'turn')?.oldestSeconds).toBeGreaterThan(89);
  expect(adviceOf(queueOf(system, 'turn'))).toEqual(['chats-late']);
  expect(queueOf(system, 'webhook')).toMatchObject({ waiting: 1, verdict: 'ok', advice: [] });
  await sql`update directory.webhook_workers set live_until = live_until - interval '1 minute'`.execute(admin);
  expect(adviceOf(queueOf(await getSystem(), 'webhook'))).toEqual(['webhooks-late']);
  expect(queueOf(system, 'knowledge-sync')).toMatchObject({ waiting: 0, oldestSeconds: null });
  expect(queueOf(system, 'timers')).toMatchObject({ waiting: 1, verdict: 'degraded' });
  expect(queueOf(system, 'emails')).toMatchObject({ waiting: 1, verdict: 'degraded' });
  expect(queueOf(system, 'events')).toMatchObject({ waiting: 1, verdict: 'degraded' });
  expect(partOf(system, 'relay')?.figures.map(({ value }) => value)).toEqual([1, expect.closeTo(40, -1), 3]);
});

test('counts what the sweeper recovered by kind, and reports a silent sweeper', async () => {
  const { tenantId } = await aTenant();
  expect(adviceOf(partOf(await getSystem(), 'sweeper'))).toEqual(['sweeper-silent']);
  await inside(tenantId, (ctx) => setTimer(ctx, 'turn', 'conv_a/turn_a', new Date(Date.now() - 300_000)));
  let handled = 0;
  const handlers = { turn: async () => void handled++ };
  const sweeper = startSweeper({ services, handlers, log: createLog('test', 'silent') });
  onTestFinished(sweeper.stop);
  await expect.poll(() => handled, soon).toBe(1);
  await expect
    .poll(async () => (await getSystem()).sweeps, soon)
    .toMatchObject([{ kind: 'turn', lastHour: 1, lastDay: 1 }]);
  expect(partOf(await getSystem(), 'sweeper')).toMatchObject({ verdict: 'ok', advice: [] });
  await inside(tenantId, releaseTimers);
  sweeper.wake(); // as when an operator retries an overdue job
  await expect.poll(() => handled, soon).toBe(2);
});

test('reads each queue with an index', async () => {
  await sql`insert into directory.timers select 'turn', 'ten_' || n, 'x' || n, now() + make_interval(secs => n - 2000)
    from generate_series(1, 50000) as n`.execute(admin);
  await sql`insert into directory.waiting_streams (tenant_id, leased_until)
    select 'ten_' || n, now() - make_interval(secs => n) from generate_series(1, 50000) as n`.execute(admin);
  await sql`analyze directory.timers, directory.waiting_streams`.execute(admin);
  const timers = await planOf(
    sql`select kind, due_at from directory.timers where due_at < now() order by due_at limit 1000`,
  );
  expect(timers).toContain('timers_due_at_idx');
  const streams = await planOf(sql`select oldest_at from directory.waiting_streams order by leased_until limit 1000`);
  expect(streams).toContain('waiting_streams_by_lease');
  expect(`${timers}${streams}`).not.toContain('Seq Scan');
  expect(queueOf(await getSystem(), 'turn')).toMatchObject({ waiting: 1_000, isMore: true });
  expect(queueOf(await getSystem(), 'events')).toMatchObject({ waiting: 1_000, isMore: true });
});

async function planOf(query: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await sql`explain ${query}`.execute(admin);
  return rows.map((row) => Object.values(row as object).join('')).join('\n');
}

/** A TCP proxy to the database that delays data in both directions. */
async function slowProxyTo(url: URL) {
  const sockets = new Set<Socket>();
  const proxy = { delayMs: 0, url: '', close: () => {} };
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      let before = Promise.resolve<unknown>(undefined);
      from.on('data', (bytes) => {
        const delay = sleep(proxy.delayMs);
        before = Promise.all([before, delay]).then(() => to.writable && to.write(bytes)); // keeps the order
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  proxy.url = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  proxy.close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return proxy;
}
