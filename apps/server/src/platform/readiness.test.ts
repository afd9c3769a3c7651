import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { productVersion } from './product-version.ts';
import { componentStatus, createWorkerReadiness } from './readiness.ts';

function aWorker() {
  const state = { isDatabaseUp: true, isValkeyUp: true, isRegistered: true, isStopping: false };
  const respond = async (isUp: boolean) => {
    if (!isUp) throw new Error('down');
  };
  const check = createWorkerReadiness({
    database: () => respond(state.isDatabaseUp),
    valkey: () => respond(state.isValkeyUp),
    isRegistered: () => state.isRegistered,
    isStopping: () => state.isStopping,
  });
  return { state, check };
}

test('a worker is ready while PostgreSQL responds and Restate knows it', async () => {
  expect(await aWorker().check()).toEqual({
    status: 'ok',
    version: productVersion,
    parts: { postgres: 'up', valkey: 'up' },
    isRegistered: true,
  });
});

test.each([
  [{ isDatabaseUp: false }, { status: 'not_ready', parts: { postgres: 'away' } }],
  [{ isValkeyUp: false }, { status: 'ok', parts: { valkey: 'away' } }],
  [{ isRegistered: false }, { status: 'not_ready', isRegistered: false }],
  [{ isStopping: true }, { status: 'shutting_down' }],
])('a worker with %j reports %j', async (change, expected) => {
  const { state, check } = aWorker();
  Object.assign(state, change);
  expect(await check()).toMatchObject(expected);
});

test('a stop signal and a lost registration take effect immediately', async () => {
  const { state, check } = aWorker();
  expect(await check()).toMatchObject({ status: 'ok' });
  state.isRegistered = false;
  expect(await check()).toMatchObject({ status: 'not_ready' });
  state.isStopping = true;
  expect(await check()).toMatchObject({ status: 'shutting_down' });
});

const block = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** A check that opens a connection and gets a response: two round trips. */
async function aRespondingServer() {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write('ping');
    await once(socket, 'data');
  };
}

test('a component that responds is up, also if this process was blocked for longer than the timeout', async () => {
  const status = componentStatus(await aRespondingServer());
  block(2_000);
  expect(await status).toBe('up');
});

test('a component that does not respond is away', async () => {
  expect(await componentStatus(() => new Promise(() => {}))).toBe('away');
});
