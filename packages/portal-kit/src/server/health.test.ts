import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { healthRoutes } from './health.ts';

/** A portal with these routes only, and an API that counts what reaches it. */
async function aPortal() {
  const state = { requests: [] as (string | undefined)[], apiStatus: 200, isStopping: false, now: 0 };
  const api = createServer((request, response) => {
    state.requests.push(request.url);
    response.writeHead(state.apiStatus).end('{}');
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const stopApi = () => {
    api.closeAllConnections();
    api.close();
  };
  const app = fastify();
  healthRoutes(app, {
    apiUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    version: '1.2.3',
    isStopping: () => state.isStopping,
    now: () => state.now,
  });
  onTestFinished(async () => {
    stopApi();
    await app.close();
  });
  const get = async (url: string) => {
    const response = await app.inject({ url });
    expect(response.headers['cache-control']).toBe('no-store');
    return [response.statusCode, response.json()];
  };
  return { state, get, stopApi };
}

const version = '1.2.3';
const ready = [200, { status: 'ok', version, parts: { api: 'up' } }];
const notReady = [503, { status: 'not_ready', version, parts: { api: 'away' } }];

test('/health/ready returns 200 while the API responds, and 503 while it is down; /health/live returns 200', async () => {
  const { state, get, stopApi } = await aPortal();
  expect(await get('/health/ready')).toEqual(ready);
  expect(state.requests).toEqual(['/health/live']);
  stopApi();
  state.now = 1_000;
  expect(await get('/health/ready')).toEqual(notReady);
  expect(await get('/health/live')).toEqual([200, { status: 'ok', version }]);
});

test('/health/ready returns 503 when the API responds with an error', async () => {
  const { state, get } = await aPortal();
  state.apiStatus = 502;
  expect(await get('/health/ready')).toEqual(notReady);
});

test('/health/ready returns 503 as soon as the portal stops', async () => {
  const { state, get } = await aPortal();
  expect(await get('/health/ready')).toEqual(ready);
  state.isStopping = true;
  expect(await get('/health/ready')).toEqual([503, { status: 'shutting_down', version }]);
});

test('a hundred probes in a second are one request to the API', async () => {
  const { state, get } = await aPortal();
  await Promise.all(Array.from({ length: 100 }, () => get('/health/ready')));
  state.now = 999;
  await get('/health/ready');
  expect(state.requests).toHaveLength(1);
  state.now = 1_000;
  await get('/health/ready');
  expect(state.requests).toHaveLength(2);
});
