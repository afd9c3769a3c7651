import { expect, test } from 'vitest';
import { productVersion } from './product-version.ts';
import { createWorkerReadiness } from './readiness.ts';

function aWorker() {
  const state = { checks: 0, isDatabaseUp: true, isValkeyUp: true, isRegistered: true, isStopping: false, now: 0 };
  const answer = async (isUp: boolean) => {
    state.checks++;
    if (!isUp) throw new Error('down');
  };
  const check = createWorkerReadiness({
    database: () => answer(state.isDatabaseUp),
    valkey: () => answer(state.isValkeyUp),
    isRegistered: () => state.isRegistered,
    isStopping: () => state.isStopping,
    now: () => state.now,
  });
  return { state, check };
}

test('a worker is ready while PostgreSQL and Valkey respond and Restate knows it', async () => {
  expect(await aWorker().check()).toEqual({
    status: 'ok',
    version: productVersion,
    parts: { postgres: 'up', valkey: 'up' },
    isRegistered: true,
  });
});

test.each([
  [{ isDatabaseUp: false }, { status: 'not_ready', parts: { postgres: 'away' } }],
  [{ isValkeyUp: false }, { status: 'not_ready', parts: { valkey: 'away' } }],
  [{ isRegistered: false }, { status: 'not_ready', isRegistered: false }],
  [{ isStopping: true }, { status: 'shutting_down' }],
])('a worker with %j reports %j', async (change, expected) => {
  const { state, check } = aWorker();
  Object.assign(state, change);
  expect(await check()).toMatchObject(expected);
});

test('a thousand probes in a second are one check, and the next second has its own', async () => {
  const { state, check } = aWorker();
  await Promise.all(Array.from({ length: 1_000 }, check));
  state.now = 999;
  await check();
  expect(state.checks).toBe(2); // PostgreSQL and Valkey
  state.now = 1_000;
  state.isValkeyUp = false;
  expect(await check()).toMatchObject({ status: 'not_ready' });
  expect(state.checks).toBe(4);
});

test('a stop signal and a lost registration take effect at once, not after a second', async () => {
  const { state, check } = aWorker();
  expect(await check()).toMatchObject({ status: 'ok' });
  state.isRegistered = false;
  expect(await check()).toMatchObject({ status: 'not_ready' });
  state.isStopping = true;
  expect(await check()).toMatchObject({ status: 'shutting_down' });
});
