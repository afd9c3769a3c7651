import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startValkey } from '../../../../tools/stack/index.ts';
import { aKey, anOperator, as, aTenant, openApi, ownDir, withLoadAllowance } from '../../test/harness.ts';

const dir = ownDir('valkey');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// Two API processes of one deployment, which share state over Valkey only.

test('rejects a revoked key on a second node within 1 s, through the signal', async () => {
  const second = await openApi();
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const there = as(key.headers, second.app);
  expect((await there.get('/me')).statusCode).toBe(200);
  await tenant.post(`/api-keys/${key.id}/revoke`);
  await expect.poll(async () => (await there.get('/me')).statusCode, { timeout: 1_000, interval: 20 }).toBe(401);
  await second.close();
});

test('rejects a revoked key on a second node within 5 s while Valkey is down', async () => {
  const valkey = await startValkey(dir);
  const [first, second] = [await openApi({ VALKEY_URL: valkey.url }), await openApi({ VALKEY_URL: valkey.url })];
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const there = as(key.headers, second.app);
  expect((await there.get('/me')).statusCode).toBe(200);
  await valkey.kill();
  await expect.poll(async () => (await there.get('/me')).statusCode).toBe(200); // the cache is warm again after the gap

  const revoked = await as(tenant.headers, first.app).post(`/api-keys/${key.id}/revoke`);
  expect(revoked.statusCode).toBe(200);
  const startedAt = Date.now();
  await expect.poll(async () => (await there.get('/me')).statusCode, { timeout: 30_000, interval: 50 }).toBe(401);
  expect(Date.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));

  await valkey.start(); // both reconnect
  const again = await aKey(tenant);
  expect((await as(again.headers, second.app).get('/me')).statusCode).toBe(200);
  await expect
    .poll(async () => (await as(tenant.headers, second.app).get('/health/ready')).json().parts.valkey, {
      timeout: 30_000,
    })
    .toBe('up');
  await Promise.all([first.close(), second.close()]);
  await valkey.stop();
});

test('rejects a revoked key on a second node within 5 s when the signal is lost', async () => {
  const deaf = await openApi({ VALKEY_PREFIX: 'another-deployment:' });
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const there = as(key.headers, deaf.app);
  expect((await there.get('/me')).statusCode).toBe(200);
  const startedAt = Date.now();
  await tenant.post(`/api-keys/${key.id}/revoke`);
  expect((await there.get('/me')).statusCode).toBe(200); // still cached, or this test would prove nothing
  await expect.poll(async () => (await there.get('/me')).statusCode, { timeout: 30_000, interval: 50 }).toBe(401);
  expect(Date.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));
  await deaf.close();
});

test('rate limits: all nodes share one count; without Valkey each allows a quarter of it, and no request fails', async () => {
  const valkey = await startValkey(dir);
  const nodes = [await openApi({ VALKEY_URL: valkey.url }), await openApi({ VALKEY_URL: valkey.url })];
  const flood = async (tenant: Awaited<ReturnType<typeof aTenant>>) => {
    const codes = new Map<number, number>();
    for (let i = 0; i < 200; i++) {
      const node = nodes[i % 2];
      const { statusCode } = await as(tenant.headers, node?.app).post(
        '/api-keys/key_01h00000000000000000000000/rotate',
        {},
      );
      codes.set(statusCode, (codes.get(statusCode) ?? 0) + 1);
    }
    return Object.fromEntries(codes);
  };
  expect(await flood(await aTenant())).toEqual({ 404: 120, 429: 80 });
  await valkey.kill();
  expect(await flood(await aTenant())).toEqual({ 404: 60, 429: 140 });
  await Promise.all(nodes.map((node) => node.close()));
});

test("entitlements: a change takes effect on a second node within 5 s and is in the tenant's audit log", async () => {
  const second = await openApi();
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const there = as(tenant.headers, second.app);
  expect((await there.get('/api-keys')).statusCode).toBe(200);
  const change = await operator.patch(`/admin/tenants/${tenant.tenantId}/entitlements`, {
    overrides: { api_keys: 0, 'bots.max': 77 },
  });
  expect(change.json()).toMatchObject({ plan: 'team', entitlements: { api_keys: 0, 'bots.max': 77 } });
  const startedAt = Date.now();
  await expect.poll(async () => (await there.get('/api-keys')).statusCode, { timeout: 5_000, interval: 20 }).toBe(403);
  expect(Date.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));
  const back = await operator.patch(`/admin/tenants/${tenant.tenantId}/entitlements`, {
    plan: 'enterprise',
    overrides: { api_keys: null },
  });
  expect(back.json()).toMatchObject({ plan: 'enterprise', entitlements: { api_keys: 1, 'bots.max': 77 } });
  await expect.poll(async () => (await there.get('/api-keys')).statusCode, { timeout: 5_000 }).toBe(200);
  const entries = (await tenant.get('/audit-log?action=entitlements.changed')).json().data;
  expect(entries.map((entry: { actor: object }) => entry.actor)).toEqual(
    [1, 2].map(() => ({ type: 'operator', id: operator.userId })),
  );
  await second.close();
});

test('rejects a suspended tenant on every node within 5 s, until it is resumed', async () => {
  const second = await openApi();
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const key = await aKey(tenant);
  const there = [as(tenant.headers, second.app), as(key.headers, second.app)];
  for (const caller of there) expect((await caller.get('/me')).statusCode).toBe(200);
  await operator.post(`/admin/tenants/${tenant.tenantId}/suspend`, { reason: 'unpaid for 90 days' });
  for (const caller of there) {
    await expect
      .poll(async () => (await caller.get('/me')).json().error?.reason, { timeout: 5_000 })
      .toBe('tenant_suspended');
  }
  await operator.post(`/admin/tenants/${tenant.tenantId}/resume`);
  for (const caller of there)
    await expect.poll(async () => (await caller.get('/me')).statusCode, { timeout: 5_000 }).toBe(200);
  await second.close();
});
