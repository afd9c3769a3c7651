import { afterAll, expect, test } from 'vitest';
import { aTenant, as, openApi } from '../../../test/harness.ts';
import { plans } from './plans.ts';

const deployment = await openApi({ UPGRADE_URL: 'mailto:sales@parley.example?subject=Plans' });
afterAll(deployment.close);

test('returns every plan, the tenant’s own, and where to ask for another one', async () => {
  const tenant = await aTenant();
  const expected = { plan: 'team', plans };
  expect((await tenant.get('/plans')).json()).toEqual({ ...expected, upgradeUrl: null });
  const response = await as(tenant.headers, deployment.app).get('/plans');
  expect(response.json()).toEqual({ ...expected, upgradeUrl: 'mailto:sales@parley.example?subject=Plans' });
});
