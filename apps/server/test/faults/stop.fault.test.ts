import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { admin, aKey, aTenant, settings, countLockWaits } from '../harness.ts';
import { startChild, type Child } from './child.ts';
import { codeOf, createClient } from './client.ts';
import { holdLock } from './hold-lock.ts';
import { randomFrom, rounds, seed } from './random.ts';

const graceSeconds = 10;
/** As long as clients take to notice the shutdown, on a busy machine. */
const noticeSeconds = 4;
const children: Child[] = [];
afterAll(() => children.forEach((child) => child.signal('SIGKILL')));

async function startApi() {
  const api = startChild(
    'src/api.ts',
    settings({
      LOG_LEVEL: 'info',
      DATABASE_POOL_SIZE: '10',
      STOP_GRACE_SECONDS: String(graceSeconds),
      STOP_NOTICE_SECONDS: String(noticeSeconds),
    }),
  );
  children.push(api);
  return { ...api, url: (await api.ready).url ?? '' };
}

async function aCaller() {
  const tenant = await aTenant();
  const key = await aKey(tenant, { permissions: ['tenant.view', 'tenant.manage'] });
  return { tenantId: tenant.tenantId, keyId: key.id, headers: key.headers };
}

/** Blocks every write for this tenant. */
const lockTenant = (tenantId: string) =>
  holdLock((tx) => tx.selectFrom('tenants').select('name').where('tenantId', '=', tenantId).forUpdate().execute());

/**
 * Sends requests on open connections until the process is no longer ready, each client for another tenant, as a load
 * balancer does.
 */
function load(url: string, callers: readonly { headers: Record<string, string> }[]) {
  const client = createClient();
  const random = randomFrom(seed);
  const outcomes: Record<string, number> = {};
  const count = (outcome: string) => (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);
  let isReady = true;
  const pollReadiness = async () => {
    while (isReady) {
      await sleep(50);
      const response = await client.call('GET', `${url}/health/ready`).catch(() => undefined);
      isReady = response?.status === 200;
    }
  };
  let n = 0;
  const call = async ({ headers }: { headers: Record<string, string> }) => {
    while (isReady) {
      await sleep(random.between(0, 10));
      const name = `${url} ${n++}`;
      const response = await random
        .pick([
          () => client.call('GET', `${url}/workspaces`, headers),
          () => client.call('GET', `${url}/me`, headers),
          () => client.call('POST', `${url}/workspaces`, headers, { name }),
        ])()
        .catch(codeOf);
      count(typeof response === 'string' ? response : String(response.status));
      if (typeof response !== 'string') JSON.parse(response.body); // complete
    }
  };
  return { outcomes, ended: Promise.all([pollReadiness(), ...callers.map(call)]).finally(client.close) };
}

const stops = Math.ceil(rounds / 10);
const totals: Record<string, number> = {};
test(
  `completes every request, slow ones too, and exits with 0 on SIGTERM under load (${stops} times)`,
  { timeout: 60_000 + stops * 20_000 },
  async () => {
    console.log(`stop: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const [slow, ...fast] = await Promise.all(Array.from({ length: 13 }, aCaller));
    if (!slow) throw new Error('no caller');
    for (let stop = 0; stop < stops; stop++) {
      const [api, client] = [await startApi(), createClient()];
      const { outcomes, ended } = load(api.url, fast);
      await sleep(500);
      const release = await lockTenant(slow.tenantId);
      const post = (name: string, pause?: Promise<void>) =>
        client.call('POST', `${api.url}/workspaces`, slow.headers, { name: `${stop}-${name}` }, pause).catch(codeOf);
      const slowRequests = [post('a'), post('b'), post('c')];
      const restOfBody = Promise.withResolvers<void>();
      const halfSent = post('d', restOfBody.promise);
      await expect.poll(countLockWaits).toBe(3);
      // Browsers and load balancers open connections before they need them.
      const unused = connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => {});
      await once(unused, 'connect');

      const startedAt = Date.now();
      api.signal('SIGTERM');
      await ended;
      const another = () => client.call('GET', `${api.url}/health/live`).then(() => 'responded', codeOf);
      await expect.poll(another).toBe('ECONNREFUSED');
      expect(api.isAlive()).toBe(true); // three requests still wait, and one body is incomplete
      await release();
      const done = { status: 201, headers: { connection: 'close' } };
      for (const response of await Promise.all(slowRequests)) expect(response).toMatchObject(done);
      await sleep(200);
      restOfBody.resolve();
      expect(await halfSent).toMatchObject(done);
      expect(await api.ended, api.lines.join('\n')).toEqual({ code: 0, signal: null });
      expect(Date.now() - startedAt).toBeLessThan((noticeSeconds + graceSeconds) * 1_000);
      client.close();
      for (const [outcome, times] of Object.entries(outcomes)) totals[outcome] = (totals[outcome] ?? 0) + times;
    }
    console.log('stop:', JSON.stringify(totals));
    const unused = await admin.selectFrom('apiKeys').select('id').where('lastUsedAt', 'is', null).execute();
    expect(unused, 'the last use of every key was written').toEqual([]);
    const created = await admin.selectFrom('workspaces').select('id').where('name', 'like', 'http%').execute();
    expect(created, 'requests without a response had no effect').toHaveLength(totals['201'] ?? 0);
    expect(totals['200'], 'there was a load').toBeGreaterThan(10);
    expect(Object.keys(totals).filter((outcome) => outcome.startsWith('5'))).toEqual([]);
  },
);

test('drops no request: clients see that it stops before it closes', () => {
  const { '200': _read, '201': _created, ...others } = totals;
  expect(others).toEqual({});
});

test('a second SIGTERM ends it immediately, whatever is in progress', async () => {
  const caller = await aCaller();
  const [api, client] = [await startApi(), createClient()];
  const release = await lockTenant(caller.tenantId);
  const interrupted = client.call('POST', `${api.url}/workspaces`, caller.headers, { name: 'cut' }).catch(codeOf);
  await expect.poll(countLockWaits).toBe(1);
  api.signal('SIGTERM');
  await expect.poll(() => api.lines.some((line) => line.includes('"stopping"'))).toBe(true);
  expect(api.isAlive()).toBe(true);
  const startedAt = Date.now();
  api.signal('SIGTERM');
  expect(await api.ended).toEqual({ code: 1, signal: null });
  expect(Date.now() - startedAt, 'before the grace period is over').toBeLessThan(graceSeconds * 500);
  expect(await interrupted).toBe('ECONNRESET');
  await release();
  client.close();
});
