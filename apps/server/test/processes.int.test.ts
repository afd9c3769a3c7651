import { expect, test } from 'vitest';
import { startChild } from './faults/child.ts';
import { aKey, aTenant, settings, withLoadAllowance } from './harness.ts';

test('two API processes: rejects a key within 5 s after it was revoked on the other', async () => {
  const processes = [1, 2].map(() =>
    startChild('src/api.ts', settings({ LOG_LEVEL: 'info', STOP_NOTICE_SECONDS: '0' })),
  );
  const [first, second] = await Promise.all(processes.map(async (child) => (await child.ready).url));
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const getStatus = async (url: string | undefined, headers: Record<string, string>) =>
    (await fetch(`${url}/me`, { headers })).status;
  expect([await getStatus(first, key.headers), await getStatus(second, key.headers)]).toEqual([200, 200]);

  const startedAt = Date.now();
  const revoked = await fetch(`${first}/api-keys/${key.id}/revoke`, { method: 'POST', headers: tenant.headers });
  expect(revoked.status).toBe(200);
  await expect.poll(() => getStatus(second, key.headers), { timeout: 20_000, interval: 20 }).toBe(401);
  expect(Date.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));
  expect(await getStatus(first, key.headers)).toBe(401);

  for (const child of processes) child.signal('SIGTERM');
  for (const child of processes) expect(await child.ended).toEqual({ code: 0, signal: null });
}, 60_000);
