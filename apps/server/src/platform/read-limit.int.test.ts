import { expect, test } from 'vitest';
import { aKey, anOperator, api, as, aTenant, openApi, type Response, type TestTenant } from '../../test/harness.ts';
import { RateLimited, type Consume } from './rate-limit.ts';
import { createReadLimit } from './read-limit.ts';

const operator = await anOperator();
const setEntitlements = async ({ tenantId }: TestTenant, change: object) => {
  const response = await operator.patch(`/admin/tenants/${tenantId}/entitlements`, change);
  expect(response.statusCode, response.body).toBe(200);
};
const limitReads = (tenant: TestTenant, perMinute: number | null) =>
  setEntitlements(tenant, { overrides: { 'reads.per_minute': perMinute } });

const headersOf = ({ headers }: Response) => [headers['ratelimit-policy'], headers['ratelimit']];
/** How many of these requests got each status. */
async function tally(count: number, request: (n: number) => Promise<Response>): Promise<Record<number, number>> {
  const found: Record<number, number> = {};
  for (let n = 0; n < count; n++) {
    const { statusCode } = await request(n);
    found[statusCode] = (found[statusCode] ?? 0) + 1;
  }
  return found;
}

test('sends RateLimit headers with the limit of the plan on 200, 400 and 404', async () => {
  const tenant = await aTenant();
  const responses = [
    await tenant.get('/bots'),
    await tenant.get('/bots?limit=0'),
    await tenant.get('/bots/bot_01h00000000000000000000000'),
  ];
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 400, 404]);
  for (const [n, response] of responses.entries()) {
    const [policy, state] = headersOf(response);
    expect(policy).toBe('"reads";q=6000;w=60');
    expect(state).toMatch(new RegExp(`^"reads";r=${5_999 - n};t=(?:[1-5]?[0-9]|60)$`));
  }
});

test('returns 429 with RateLimit headers and Retry-After above the limit, and 200 to other tenants and to writes', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const key = await aKey(tenant);
  await limitReads(tenant, 4);
  // Both credentials, and routes with and without a transaction, count together.
  const readers = [() => tenant.get('/bots'), () => tenant.get('/me'), () => key.get('/me')];
  expect(await tally(6, (n) => readers[n % 3]!())).toEqual({ 200: 4, 429: 2 });
  for (const read of readers) {
    const refused = await read();
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(headersOf(refused)).toEqual(['"reads";q=4;w=60', `"reads";r=0;t=${refused.headers['retry-after']}`]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect((await other.get('/bots')).statusCode).toBe(200);
  expect((await tenant.post('/workspaces', { name: 'New' })).statusCode).toBe(201);
});

test('a platform admin can change the limit by plan and by override, effective within the same minute', async () => {
  const tenant = await aTenant();
  await limitReads(tenant, 1);
  expect(await tally(2, () => tenant.get('/bots'))).toEqual({ 200: 1, 429: 1 });
  await limitReads(tenant, 5);
  expect((await tenant.get('/bots')).statusCode).toBe(200);
  await limitReads(tenant, null);
  expect(headersOf(await tenant.get('/bots'))[0]).toBe('"reads";q=6000;w=60');
  await setEntitlements(tenant, { plan: 'free' });
  expect(headersOf(await tenant.get('/bots'))[0]).toBe('"reads";q=1200;w=60');
  await limitReads(tenant, 2); // lowered below what was already read
  expect((await tenant.get('/bots')).statusCode).toBe(429);
});

test('lists rejected reads by tenant for platform admins', async () => {
  const tenant = await aTenant();
  await limitReads(tenant, 0);
  expect(await tally(3, () => tenant.get('/bots'))).toEqual({ 429: 3 });
  const { refusals } = (await operator.get('/admin/rate-limit-usage?hours=1')).json<{
    refusals: { tenantId: string | null; policy: string; refused: number }[];
  }>();
  expect(refusals.filter(({ tenantId }) => tenantId === tenant.tenantId)).toMatchObject([
    { policy: 'reads', refused: 3 },
  ]);
});

test('all nodes share one limit, which is never exceeded', async () => {
  const [second, tenant] = [await openApi(), await aTenant()];
  await limitReads(tenant, 400); // taken in twos
  const clients = [tenant, as(tenant.headers, second.app)];
  const found = await tally(420, (n) => clients[n % 2]!.get('/me'));
  expect(found[200]).toBeLessThanOrEqual(400);
  expect(found[200]).toBeGreaterThanOrEqual(398); // the other node may hold a rest
  await second.close();
});

test('without Valkey, a node allows a quarter of the limit, and no request fails', async () => {
  const [node, tenant] = [await openApi({ VALKEY_URL: 'redis://127.0.0.1:9' }), await aTenant()];
  await limitReads(tenant, 40);
  const there = as(tenant.headers, node.app);
  expect(await tally(15, () => there.get('/me'))).toEqual({ 200: 10, 429: 5 });
  await node.close();
});

test('needs a Valkey command for one of 30 reads on the team plan, and none above the limit', async () => {
  const { tenantId } = await aTenant();
  let commands = 0;
  const counting: Consume = (...args) => {
    commands++;
    return api.platform.consume(...args);
  };
  const consumeRead = createReadLimit(counting);
  for (let n = 0; n < 300; n++) await consumeRead(tenantId, 6_000);
  expect(commands).toBe(10);
});

test('counts concurrent reads exactly', async () => {
  const { tenantId } = await aTenant();
  const consumeRead = createReadLimit(api.platform.consume);
  const reads = Array.from({ length: 1_000 }, async () => consumeRead(tenantId, 600));
  const results = await Promise.allSettled(reads);
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(600);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(RateLimited);
});
