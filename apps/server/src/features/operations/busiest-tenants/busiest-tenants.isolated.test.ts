import { expect, test } from 'vitest';
import { anOperator, api, as, aTenant, inside, openApi } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { reserveSpend, settleSpend } from '../../usage/index.ts';
import type { BusiestTenants } from './busiest-tenants.contract.ts';

// That messages and deliveries are counted is in test/chat/usage.int.test.ts and test/webhooks/webhooks.int.test.ts.

const operator = await anOperator('auditor');
const busiest = async (by: string, hours = 1) => {
  const response = await operator.get(`/admin/busiest-tenants?by=${by}&hours=${hours}`);
  expect(response.statusCode).toBe(200);
  return response.json<BusiestTenants>().tenants;
};

test('lists the busiest tenants first, by each measure, and one that has been erased by its ID', async () => {
  const [quiet, busy] = [await aTenant(), await aTenant()];
  const erased = newId('tenant');
  const { countActivity = () => {} } = api.platform.services;
  countActivity('messages', quiet.tenantId);
  countActivity('messages', busy.tenantId, 5);
  countActivity('messages', erased, 2);
  countActivity('deliveries', quiet.tenantId, 7);
  expect(await busiest('messages')).toEqual([
    { tenantId: busy.tenantId, tenantName: 'Test', value: 5 },
    { tenantId: erased, tenantName: null, value: 2 },
    { tenantId: quiet.tenantId, tenantName: 'Test', value: 1 },
  ]);
  expect(await busiest('deliveries', 48)).toEqual([{ tenantId: quiet.tenantId, tenantName: 'Test', value: 7 }]);
});

test('counts what a model cost, in dollars, and nothing of a transaction that is rolled back', async () => {
  const { tenantId, botId } = await aTenant();
  const budget = { botId, visitorId: null, perTenant: 10, perBot: null, perVisitor: null };
  const spend = (id: string, micros: number) =>
    inside(tenantId, async (ctx) => {
      await reserveSpend(ctx, id, 2_000_000, budget);
      await settleSpend(ctx, id, micros, budget.perTenant);
      if (id === 'rolled back') throw new Error(id);
    });
  await spend('first', 1_500_000);
  await expect(spend('rolled back', 1_000_000)).rejects.toThrow('rolled back');
  await spend('second', 250_000);
  expect(await busiest('model_spend')).toEqual([{ tenantId, tenantName: 'Test', value: 1.75 }]);
});

test('returns 200 without tenants while Valkey is unavailable', async () => {
  const withoutValkey = await openApi({ VALKEY_URL: 'redis://127.0.0.1:9' });
  const response = await as(operator.headers, withoutValkey.app).get('/admin/busiest-tenants');
  expect([response.statusCode, response.json()]).toEqual([200, { tenants: null }]);
  await withoutValkey.close();
});
