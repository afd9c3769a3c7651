import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { timerHandlers } from '../../src/features/durable.ts';
import { connectRestate } from '../../src/platform/restate-client.ts';
import { startSweeper } from '../../src/platform/sweeper.ts';
import { admin, api, aTenant, services, settings, countLockWaits, ownDir } from '../harness.ts';
import { startChild, type Child } from './child.ts';
import { holdLock } from './hold-lock.ts';
import { randomFrom, rounds, seed } from './random.ts';

const dir = ownDir('faults-restate');
const restate = await startRestate(dir, { partitions: 4 });
const workerPort = await freePort();
const random = randomFrom(seed);
let worker: Child | undefined;

afterAll(async () => {
  worker?.signal('SIGKILL');
  await restate.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** The running worker, or a new one. */
async function aWorker(): Promise<Child> {
  if (worker?.isAlive()) return worker;
  worker = startChild(
    'src/worker.ts',
    settings({
      LOG_LEVEL: 'info',
      DATABASE_POOL_SIZE: '20',
      RESTATE_INGRESS_URL: restate.ingressUrl,
      RESTATE_ADMIN_URL: restate.adminUrl,
      RESTATE_IDENTITY_KEYS: restate.identityKey,
      WORKER_PORT: String(workerPort),
    }),
  );
  await worker.ready;
  return worker;
}

async function noWorker() {
  worker?.signal('SIGKILL');
  await worker?.ended;
}

/** Whether it still accepts calls. */
const isListening = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect(workerPort, '127.0.0.1');
    const settle = (isUp: boolean) => () => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', settle(true)).once('error', settle(false));
  });

/** Keys of a new tenant that expire soon: the warning is due half-way. */
async function makeKeys(count: number, endsInMs: number): Promise<string[]> {
  const tenant = await aTenant();
  return Promise.all(
    Array.from({ length: count }, async () => {
      const expiresAt = new Date(Date.now() + endsInMs).toISOString();
      const response = await tenant.post('/api-keys', { name: 'Ends soon', keyType: 'secret_server', expiresAt });
      expect(response.statusCode, response.body).toBe(201);
      return response.json<{ apiKey: { id: string } }>().apiKey.id;
    }),
  );
}

/** How many warnings each of these keys got. */
async function warnings(keys: readonly string[]): Promise<number[]> {
  const events = await admin.selectFrom('events').select('subjectId').where('type', '=', 'api_key.expiring').execute();
  return keys.map((key) => events.filter(({ subjectId }) => subjectId === key).length);
}
const ones = (keys: readonly string[]) => keys.map(() => 1);

async function expectOneWarningEach(keys: readonly string[]) {
  await expect.poll(() => warnings(keys), { timeout: 60_000, interval: 250 }).toEqual(ones(keys));
  // A duplicate would come from a call that is still open, or from a timer.
  await expect.poll(openCalls, { timeout: 60_000, interval: 250 }).toEqual([]);
  expect((await sql`select from directory.timers`.execute(admin)).rows).toEqual([]);
  expect(await warnings(keys)).toEqual(ones(keys));
}

/** A worker whose handlers all wait in the middle of their work: the keys are locked before it starts. */
async function aBusyWorker() {
  await noWorker();
  const keys = await makeKeys(8, 8_000);
  const release = await holdLock((tx) =>
    tx.selectFrom('apiKeys').select('id').where('id', 'in', keys).forUpdate().execute(),
  );
  const busy = await aWorker();
  await expect.poll(countLockWaits, { timeout: 60_000 }).toBe(keys.length);
  return { busy, keys, release };
}

/** Calls that Restate has accepted and not completed. */
async function openCalls(): Promise<unknown[]> {
  const response = await fetch(`${restate.adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: "select target, status from sys_invocation where status <> 'completed'" }),
  });
  return ((await response.json()) as { rows: unknown[] }).rows;
}

test('SIGTERM lets running handlers finish, exits with 0 and does nothing twice', async () => {
  const { busy: stopped, keys, release } = await aBusyWorker();
  stopped.signal('SIGTERM');
  await expect.poll(isListening, { message: 'it accepts no new calls' }).toBe(false);
  expect(stopped.isAlive(), stopped.lines.join('\n')).toBe(true);
  await release();
  expect(await stopped.ended, stopped.lines.join('\n')).toEqual({ code: 0, signal: null });
  expect(await warnings(keys), 'done before it ended').toEqual(ones(keys));
  await expect.poll(openCalls, { message: 'Restate has the results', timeout: 60_000 }).toEqual([]);
  await aWorker();
  await expectOneWarningEach(keys);
}, 240_000);

test('SIGKILL while handlers run: the next worker does the work once', async () => {
  const { busy: killed, keys, release } = await aBusyWorker();
  killed.signal('SIGKILL');
  await killed.ended;
  await release();
  expect(await warnings(keys)).toEqual(keys.map(() => 0));
  await aWorker();
  await expectOneWarningEach(keys);
}, 240_000);

// The two tests above are the sample of this one.
const ends = Math.max(3, Math.ceil(rounds / 10));
test.runIf(isFull)(
  `warns of each key once when ${ends} workers end at random points, by SIGTERM or SIGKILL`,
  async () => {
    console.log(`worker: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const [keys, signals]: [string[], Record<string, number>] = [[], {}];
    for (let end = 0; end < ends; end++) {
      const ended = await aWorker();
      keys.push(...(await makeKeys(6, random.between(5_000, 8_000))));
      await sleep(random.between(0, 600)); // the random point
      const signal = end % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
      ended.signal(signal);
      const { code } = await ended.ended;
      if (signal === 'SIGTERM') expect(code, ended.lines.join('\n')).toBe(0);
      signals[signal] = (signals[signal] ?? 0) + 1;
    }
    await aWorker();
    await expectOneWarningEach(keys);
    console.log(`worker: ${keys.length} keys, one warning each, ended by ${JSON.stringify(signals)}`);
  },
  240_000 + ends * 10_000,
);

test('wiping Restate loses nothing: the worker registers again, and the sweeper sends each warning once', async () => {
  await aWorker();
  const keys = await makeKeys(12, 3_600_000);
  const waiting = sql`select from directory.event_streams where delivered_position < last_position`;
  await expect.poll(async () => (await waiting.execute(admin)).rows, { timeout: 60_000 }).toEqual([]); // all are timers in Restate now
  await restate.kill();
  rmSync(join(dir, 'restate-data'), { recursive: true });
  await restate.start();
  // They are overdue, and only their rows are left.
  await sql`update directory.timers set due_at = now() - interval '1 minute'`.execute(admin);
  expect(await warnings(keys)).toEqual(keys.map(() => 0));

  const { log, externalStores } = api.platform;
  const restateClient = connectRestate(restate.ingressUrl);
  const handlers = timerHandlers(services, restateClient, externalStores);
  const sweeper = startSweeper({ services, handlers, log, everyMs: 300, graceSeconds: 1 });
  await expectOneWarningEach(keys);
  await sweeper.stop();
  console.log(`worker: Restate wiped, ${keys.length} of ${keys.length} warnings, none twice`);
}, 240_000);
