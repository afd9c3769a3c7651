import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { api } from '../../../test/harness.ts';
import { publicRoute } from './route.ts';
import { buildHttp } from './server.ts';

/** A client in its own thread: sends a request, and another one on the same connection while the server is busy. */
const client = `
const { connect } = require('node:net');
const { workerData: { port, turn }, parentPort } = require('node:worker_threads');
const request = 'GET /ping HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n';
const socket = connect(port, '127.0.0.1', () => socket.write(request));
let received = '';
let isSecond = false;
socket.on('data', (data) => {
  received += data;
  if (!received.includes('pong')) return;
  if (isSecond) return parentPort.postMessage('answered');
  isSecond = true;
  received = '';
  parentPort.postMessage('first');
  Atomics.wait(turn, 0, 0);
  socket.write(request, () => { Atomics.store(turn, 0, 2); Atomics.notify(turn, 0); });
});
socket.on('error', () => {}).on('close', () => parentPort.postMessage('closed'));
`;

test('answers a request that has arrived but was not read yet when idle connections are closed', async () => {
  const ping = publicRoute({
    method: 'GET',
    path: '/ping',
    name: 'ping',
    tag: 'x',
    summary: 'x',
    permission: 'public',
    response: z.string(),
    handler: () => 'pong',
  });
  const { Registry } = await import('prom-client');
  const app = await buildHttp({
    ...api.platform,
    metrics: new Registry(),
    authenticators: [],
    tenantState: () => Promise.reject(new Error('must not be called')),
    visitorOf: () => Promise.reject(new Error('must not be called')),
    publicUrl: 'https://x.example',
    routes: [ping],
  });
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(client, { eval: true, workerData: { port, turn } });
  expect(await once(worker, 'message')).toEqual(['first']);

  Atomics.store(turn, 0, 1);
  Atomics.notify(turn, 0);
  Atomics.wait(turn, 0, 1, 10_000); // this thread reads nothing until the request has been sent
  expect(turn[0]).toBe(2);
  const closed = app.close();
  expect(await once(worker, 'message')).toEqual(['answered']);
  await Promise.all([closed, worker.terminate()]);
});
