import { expect, onTestFinished, test } from 'vitest';
import { productVersion as version } from '../apps/server/src/platform/product-version.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { freePort } from '../tools/stack/index.ts';
import { isFull } from '../tools/testing/size.ts';
import { demo, portalSettings } from './browser.ts';

async function aPortal(name: 'portal' | 'admin', apiUrl: string) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = runEntry(`apps/${name}/src/server.ts`, {
    ...portalSettings,
    PORT: String(port),
    PORTAL_URL: url,
    API_URL: apiUrl,
    STOP_NOTICE_SECONDS: '5',
  });
  onTestFinished(child.stop);
  await waitFor(`${url}/health/live`);
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return [response.status, response.headers.get('cache-control'), await response.json()];
  };
  return { child, get };
}

/** Both run the same server of portal-kit. */
test.each(isFull ? (['portal', 'admin'] as const) : (['portal'] as const))(
  '%s: /health/ready returns 200 with the version, and 503 from the stop signal on, while it still serves requests',
  async (name) => {
    const { child, get } = await aPortal(name, demo.apiUrl);
    expect(await get('/health/ready')).toEqual([200, 'no-store', { status: 'ok', version, parts: { api: 'up' } }]);
    const stopped = child.stop();
    await expect
      .poll(() => get('/health/ready'), { interval: 50 })
      .toEqual([503, 'no-store', { status: 'shutting_down', version }]);
    expect(await get('/health/live')).toEqual([200, 'no-store', { status: 'ok', version }]);
    await stopped;
    expect(await child.ended).toBe(0);
  },
);

test('/health/ready returns 503 while the API is down, and /health/live returns 200', async () => {
  const { get } = await aPortal('portal', 'http://127.0.0.1:9');
  expect(await get('/health/ready')).toEqual([
    503,
    'no-store',
    { status: 'not_ready', version, parts: { api: 'away' } },
  ]);
  expect(await get('/health/live')).toEqual([200, 'no-store', { status: 'ok', version }]);
});
