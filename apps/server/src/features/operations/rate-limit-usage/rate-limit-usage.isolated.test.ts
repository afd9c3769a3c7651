import { expect, test } from 'vitest';
import { admin, anOperator, api, as, aTenant, inside, openApi } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { countMessage } from '../../usage/index.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import type { RateLimitUsage } from './rate-limit-usage.contract.ts';

const operator = await anOperator('auditor');
const look = async (hours = 24) =>
  (await operator.get(`/admin/rate-limit-usage?hours=${hours}`)).json<RateLimitUsage>();

test('who is refused most for asking too often is shown first, by tenant and limit, and no address is kept', async () => {
  const [loud, quiet] = [await aTenant(), await aTenant()];
  const policy = { name: `loud-${newId('request')}`, points: 1, seconds: 60 };
  const { consume: takeOne } = api.platform;
  const ask = (key: string, tenantId?: string) => takeOne(policy, key, tenantId).catch(() => {});
  for (let n = 0; n < 6; n++) await ask(loud.tenantId, loud.tenantId);
  for (let n = 0; n < 3; n++) await ask(quiet.tenantId, quiet.tenantId);
  for (let n = 0; n < 2; n++) await ask('203.0.113.7');
  const refusals = (await look(1)).refusals?.filter((one) => one.policy === policy.name);
  expect(refusals).toEqual([
    { tenantId: loud.tenantId, tenantName: 'Test', policy: policy.name, refused: 5 },
    { tenantId: quiet.tenantId, tenantName: 'Test', policy: policy.name, refused: 2 },
    { tenantId: null, tenantName: null, policy: policy.name, refused: 1 },
  ]);
  expect(JSON.stringify(await look())).not.toContain('203.0.113');
});

test('a budget is shown from four fifths on, against the limit as it is now', async () => {
  const { tenantId, botId } = await aTenant();
  const month = `${new Date().toISOString().slice(0, 7)}-01`;
  const say = () =>
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
  for (let n = 0; n < 3; n++) await say();
  expect((await look()).budgets).toEqual([]);
  await say();
  expect((await look()).budgets).toEqual([
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
  expect((await look()).budgets).toEqual([]);
});

test('200 without refusals while Valkey is away, and budgets all the same', async () => {
  const lonely = await openApi({ VALKEY_URL: 'redis://127.0.0.1:9' });
  const response = await as(operator.headers, lonely.app).get('/admin/rate-limit-usage');
  expect([response.statusCode, response.json<RateLimitUsage>()]).toEqual([
    200,
    { refusals: null, budgets: expect.any(Array) },
  ]);
  await lonely.close();
});
