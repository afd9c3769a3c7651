import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { freePort, startRestate } from '../../../tools/stack/index.ts';
import type { System } from '../src/features/operations/system/system.contract.ts';
import { productVersion } from '../src/platform/product-version.ts';
import { currentVersion } from '../src/platform/version.ts';
import { startChild } from './faults/child.ts';
import { holdLock } from './faults/hold-lock.ts';
import { anOperator, as, countLockWaits, ownDir, settings } from './harness.ts';

// The API of this file runs the current version; the worker is the same code, built as the next one.

const nextVersion = '99.0.0-next+roll.out';
const nextDir = `${inject('serverDir')}-next`; // in this package, as the build requires
const dir = ownDir('roll-out');
afterAll(() => [nextDir, dir].forEach((path) => rmSync(path, { recursive: true, force: true })));

function buildNext() {
  const { status, stderr } = spawnSync(process.execPath, ['build.ts', nextDir], {
    cwd: resolve(import.meta.dirname, '..'),
    env: { ...process.env, PARLEY_VERSION: nextVersion },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the server build failed: ${stderr}`);
  return nextDir;
}

test('the API reports its version in its health checks, with 200', async () => {
  for (const path of ['/health/live', '/health/ready']) {
    const response = await as({}).get(path);
    expect([response.statusCode, response.json().version]).toEqual([200, productVersion]);
  }
});

test('a new worker is ready once it is registered, is listed with its version, and is not ready while it stops', async () => {
  const operator = await anOperator('support');
  const nextDir = buildNext();
  const restate = await startRestate(dir, { partitions: 4 });
  await restate.kill();
  // Blocks the relay of the worker, so that it cannot stop before the lock is released.
  const release = await holdLock((tx) => sql`lock table directory.waiting_streams`.execute(tx));
  const metricsUrl = `http://127.0.0.1:${await freePort()}`;
  const worker = startChild(
    'src/worker.ts',
    settings({
      LOG_LEVEL: 'info',
      RESTATE_INGRESS_URL: restate.ingressUrl,
      RESTATE_ADMIN_URL: restate.adminUrl,
      RESTATE_IDENTITY_KEYS: restate.identityKey,
      WORKER_PORT: '0',
      METRICS_PORT: new URL(metricsUrl).port,
      PARLEY_VERSION: '1.2.3', // no effect: the build contains its version
    }),
    nextDir,
  );
  const get = async (path: string) => {
    const response = await fetch(metricsUrl + path);
    return [response.status, await response.json()];
  };
  try {
    await worker.ready;
    const version = nextVersion;
    const parts = { postgres: 'up', valkey: 'up' };
    expect(await get('/health/live')).toEqual([200, { status: 'ok', version }]);
    expect(await get('/health/ready')).toEqual([503, { status: 'not_ready', version, parts, isRegistered: false }]);
    await restate.start();
    await expect.poll(() => get('/health/ready')).toEqual([200, { status: 'ok', version, parts, isRegistered: true }]);

    expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toContain(
      `parley_build_info{version="${version}",role="worker"} 1`,
    );
    const { processes } = (await operator.get('/admin/system')).json<System>();
    expect(processes).toMatchObject([
      { role: 'api', version: productVersion, apiVersion: currentVersion },
      { role: 'worker', version, apiVersion: currentVersion },
    ]);

    await expect.poll(countLockWaits).toBeGreaterThan(0);
    worker.signal('SIGTERM');
    await expect.poll(() => get('/health/ready')).toEqual([503, { status: 'shutting_down', version }]);
    await release();
    expect(await worker.ended).toEqual({ code: 0, signal: null });
  } finally {
    worker.signal('SIGKILL');
    await restate.kill();
  }
});
