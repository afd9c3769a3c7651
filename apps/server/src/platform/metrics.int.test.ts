import { expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import type { Config } from './config.ts';
import { productVersion } from './product-version.ts';
import type { Readiness } from './readiness.ts';
import { createMetrics } from './metrics/process-metrics.ts';
import { serveMetrics } from './telemetry.ts';

async function metricsAt(settings: Partial<Config>, checkReadiness?: () => Promise<Readiness>) {
  const port = await freePort();
  const server = await serveMetrics(
    createMetrics('worker'),
    { METRICS_HOST: '127.0.0.1', METRICS_PORT: port, ...settings } as Config,
    checkReadiness,
  );
  const get = (path: string, authorization?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...(authorization && { headers: { authorization } }) });
  const read = async (path: string, authorization?: string) => (await get(path, authorization)).status;
  return { ...server, get, read };
}

test('returns 401 without the right token and 200 with it; health checks need none', async () => {
  const token = 'a-token-of-32-characters-or-more';
  const { read, close } = await metricsAt({ METRICS_TOKEN: token }, async () => ({ status: 'ok', version: '1' }));
  expect(await read('/metrics')).toBe(401);
  expect(await read('/metrics', 'Bearer another')).toBe(401);
  expect(await read('/metrics', token)).toBe(401);
  expect(await read('/metrics', `Bearer ${token}`)).toBe(200);
  expect(await read('/health/live')).toBe(200);
  expect(await read('/health/ready')).toBe(200);
  close();
});

test('returns 200 on localhost when no token is set, with the version and role of this process', async () => {
  const { get, close } = await metricsAt({});
  const response = await get('/metrics');
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(`parley_build_info{version="${productVersion}",role="worker"} 1\n`);
  expect(await (await get('/health/live')).json()).toEqual({ status: 'ok', version: productVersion });
  close();
});

test('/health/ready returns 200 only while ready, is not cached, and returns 404 where nothing serves it', async () => {
  let status: Readiness['status'] = 'not_ready';
  const { get, close } = await metricsAt({}, async () => ({ status, version: '1' }));
  expect((await get('/health/ready')).status).toBe(503);
  status = 'ok';
  const ready = await get('/health/ready');
  expect([ready.status, ready.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await ready.json()).toEqual({ status: 'ok', version: '1' });
  status = 'shutting_down';
  expect((await get('/health/ready')).status).toBe(503);
  close();

  const api = await metricsAt({});
  expect(await api.read('/health/ready')).toBe(404);
  api.close();
});
