import { rmSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { requirements } from '../../src/check/finding.ts';
import { checkValkey } from '../../src/check/valkey.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { aKey, as, aTenant, openApi, ownDir, settings } from '../harness.ts';
import { areComplete, startSentinels } from '../sentinels.ts';

// Real servers with the sample configuration in deploy/samples/valkey, and two API processes that know the Sentinels only.

const dir = ownDir('sentinel');
const stack = await startSentinels(dir);
const [first, second] = [await openApi(stack.settings), await openApi(stack.settings)];

afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Whether a call on one node is counted on the other. Without Valkey, each counts on its own. */
async function shareOneCount(): Promise<boolean> {
  const policy = { name: 'failover', points: 100_000, seconds: 600 };
  const counts: number[] = [];
  for (const node of [first, second, first]) counts.push((await node.platform.consume(policy, 'key')).consumed ?? 0);
  const [start = 0, ...rest] = counts;
  return rest.every((count, n) => count === start + n + 1);
}

/** Whether a message of one node arrives at the other. */
async function shareSignals(): Promise<boolean> {
  const received = Promise.withResolvers<boolean>();
  const watch = second.platform.signals.watch('failover', () => received.resolve(true));
  try {
    await watch.isListening;
    first.platform.signals.send('failover', 'hello');
    setTimeout(() => received.resolve(false), 500);
    return await received.promise;
  } finally {
    watch.stop();
  }
}

/** Requests to both nodes until stopped, with the number of responses by status. */
async function load() {
  const tenant = await aTenant();
  const { headers } = await aKey(tenant);
  const codes: Record<number, number> = {};
  let isStopped = false;
  const caller = async (app: typeof first.app) => {
    while (!isStopped) {
      const { statusCode } = await as(headers, app).get('/me');
      codes[statusCode] = (codes[statusCode] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const calling = Promise.all([first.app, second.app].map(caller));
  return {
    stop: async () => {
      isStopped = true;
      await calling;
      return codes;
    },
  };
}

test('the check of a deployment finds the primary, and names a wrong one', async () => {
  const check = (overrides: Record<string, string>) =>
    checkValkey({
      config: loadConfig(settings({ ...stack.settings, ...overrides })),
      db: first.platform.services.db,
      fetch: first.platform.safeFetch,
      now: Date.now,
      timeoutMs: 5_000,
      requirements,
    });
  expect(await check({})).toEqual([]);
  const wrong = new URL(stack.settings['VALKEY_URL'] ?? '');
  wrong.hostname = 'another';
  expect(await check({ VALKEY_URL: wrong.href })).toMatchObject([
    { id: 'valkey.unreachable', settings: ['VALKEY_URL', 'VALKEY_SENTINELS'] },
  ]);
});

test('requests go on and nodes share limits and signals again after the machine of the primary hangs', async () => {
  await expect.poll(() => areComplete(stack.sentinels)).toBe(true);
  await expect.poll(shareOneCount).toBe(true);
  const requests = await load();
  onTestFinished(async () => void (await requests.stop()));

  const hanging = [stack.primary, ...stack.sentinels.slice(0, 1)].map((server) => server.pid() ?? 0);
  for (const pid of hanging) process.kill(pid, 'SIGSTOP');
  const startedAt = Date.now();
  const others = stack.sentinels.slice(1);
  await expect
    .poll(() => Promise.all(others.map((sentinel) => stack.primaryPortBy(sentinel))))
    .toEqual(others.map(() => stack.replica.port));
  const promotedAt = Date.now();
  await expect.poll(shareOneCount, { timeout: 15_000 }).toBe(true);
  await expect.poll(shareSignals, { timeout: 15_000 }).toBe(true);
  const inUseAt = Date.now();
  for (const pid of hanging) process.kill(pid, 'SIGCONT');
  const codes = await requests.stop();
  console.log(
    `sentinel: promoted after ${promotedAt - startedAt} ms, in use ${inUseAt - promotedAt} ms later`,
    JSON.stringify(codes),
  );
  expect(Object.keys(codes)).toEqual(['200']);
});
