import { expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import type { Config } from './config.ts';
import { createMetrics, serveMetrics } from './telemetry.ts';

async function metricsAt(settings: Partial<Config>) {
  const port = await freePort();
  const server = await serveMetrics(createMetrics(), {
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: port,
    ...settings,
  } as Config);
  const read = (path: string, authorization?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...(authorization && { headers: { authorization } }) }).then(
      ({ status }) => status,
    );
  return { ...server, read };
}

test('returns 401 without the right token and 200 with it; the liveness probe needs none', async () => {
  const token = 'a-token-of-32-characters-or-more';
  const { read, close } = await metricsAt({ METRICS_TOKEN: token });
  expect(await read('/metrics')).toBe(401);
  expect(await read('/metrics', 'Bearer another')).toBe(401);
  expect(await read('/metrics', token)).toBe(401);
  expect(await read('/metrics', `Bearer ${token}`)).toBe(200);
  expect(await read('/health/live')).toBe(200);
  close();
});

test('returns 200 on localhost when no token is set', async () => {
  const { read, close } = await metricsAt({});
  expect(await read('/metrics')).toBe(200);
  close();
});
