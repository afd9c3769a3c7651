import { expect, test } from 'vitest';
import { admin, anOperator, api, as, aTenant, inside, openApi } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { countMessage } from '../../usage/index.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import type { RateLimitUsage } from './rate-limit-usage.contract.ts';

const operator = await anOperator('auditor');
const getUsage = async (hours = 24) =>
  (await operator.get(`/admin/rate-limit-usage?hours=${hours}`)).json<RateLimitUsage>();

test('lists the most rate-limited tenants first, by policy, without IP addresses', async () => {
  const [loud, quiet] = [await aTenant(), await aTenant()];
  const policy = { name: `loud-${newId('request')}`, points: 1, seconds: 60 };
  const { consume } = api.platform;
  const request = (key: string, tenantId?: string) => consume(policy, key, tenantId).catch(() => {});
  for (let n = 0; n < 6; n++) await request(loud.tenantId, loud.tenantId);
  for (let n = 0; n < 3; n++) await request(quiet.tenantId, quiet.tenantId);
  for (let n = 0; n < 2; n++) await request('203.0.113.7');
  const refusals = (await getUsage(1)).refusals?.filter((one) => one.policy === policy.name);
  expect(refusals).toEqual([
    { tenantId: loud.tenantId, tenantName: 'Test', policy: policy.name, refused: 5 },
    { tenantId: quiet.tenantId, tenantName: 'Test', policy: policy.name, refused: 2 },
    { tenantId: null, tenantName: null, policy: policy.name, refused: 1 },
  ]);
  expect(JSON.stringify(await getUsage())).not.toContain('203.0.113');
});

test('lists budgets from 80 % of the current limit', async () => {
  const { tenantId, botId } = await aTenant();
  const month = `${new Date().toISOString().slice(0, 7)}-01`;
  const sendMessage = () =>
    inside(tenantId, async (ctx) =>
      countMessage(ctx, botId, (await readEntitlements(ctx)).entitlements, { startsConversation: false }),
    );
  const limitTo = (value: number) =>
    admin
      .insertInto('entitlementOverrides')
      .values({ tenantId, name: 'messages.per_month', value, changedBy: 'x' })
      .onConflict((same) => same.columns(['tenantId', 'name']).doUpdateSet({ value }))
      .execute();
  await limitTo(5);
  for (let n = 0; n < 3; n++) await sendMessage();
  expect((await getUsage()).budgets).toEqual([]);
  await sendMessage();
  expect((await getUsage()).budgets).toEqual([
    {
      tenantId,
      tenantName: 'Test',
      plan: 'team',
      limit: 'messages.per_month',
      period: month,
      used: 4,
      reserved: 0,
      allowed: 5,
      percent: 80,
    },
  ]);
  await limitTo(100);
  expect((await getUsage()).budgets).toEqual([]);
});

test('returns 200 with budgets but without refusals while Valkey is unavailable', async () => {
  const withoutValkey = await openApi({ VALKEY_URL: 'redis://127.0.0.1:9' });
  const response = await as(operator.headers, withoutValkey.app).get('/admin/rate-limit-usage');
  expect([response.statusCode, response.json<RateLimitUsage>()]).toEqual([
    200,
    { refusals: null, budgets: expect.any(Array) },
  ]);
  await withoutValkey.close();
});
