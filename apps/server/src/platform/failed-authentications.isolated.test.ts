import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aKey, anOperator, aTenant, customers, openApi, type Headers, type Response } from '../../test/harness.ts';
import { newSecret } from '../features/api-keys/api-key-secret.ts';
import { ipKey } from './rate-limit.ts';

const perMinute = 20;
const node = await openApi({ FAILED_AUTHENTICATIONS_PER_MINUTE: String(perMinute) });

const from = (ip: string, app = node.app) => ({
  get: (headers: Headers, url = '/me') => app.inject({ method: 'GET', url, headers, remoteAddress: ip }),
});
const unknownKey = (): Headers => ({
  authorization: `Bearer ${newSecret('secret_server', '0a7')}`,
  'x-service-api-key-id': 'key_01h00000000000000000000000',
});
const statusesOf = async (count: number, request: () => Promise<Response>) => {
  const found: Record<number, number> = {};
  for (let n = 0; n < count; n++) {
    const { statusCode } = await request();
    found[statusCode] = (found[statusCode] ?? 0) + 1;
  }
  return found;
};
/** The queries that look for a server key by its secret. */
function spyOnLookups() {
  const spy = vi.spyOn(Client.prototype, 'query');
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.filter((args) => JSON.stringify(args).includes('find_api_key_secret')).length;
}

test('returns 401, then 429 without a lookup, to unknown keys from one IP address, and 200 to a key known to be valid', async () => {
  const tenant = await aTenant();
  const [known, unknown] = [await aKey(tenant), await aKey(tenant)];
  const [attacker, otherIp] = [from('198.51.100.7'), from('198.51.100.8')];
  expect((await attacker.get(known.headers)).statusCode).toBe(200);

  const first = await attacker.get(unknownKey());
  expect(first.statusCode).toBe(401);
  expect(first.headers).toMatchObject({
    'ratelimit-policy': `"failed-authentications";q=${perMinute};w=60`,
    ratelimit: expect.stringMatching(/^"failed-authentications";r=19;t=\d+$/),
  });
  expect(await statusesOf(perMinute - 1, () => attacker.get(unknownKey()))).toEqual({ 401: perMinute - 1 });

  const lookups = spyOnLookups();
  const refused = await attacker.get(unknownKey());
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(refused.headers['ratelimit']).toBe(`"failed-authentications";r=0;t=${refused.headers['retry-after']}`);
  expect(await statusesOf(50, () => attacker.get(unknownKey()))).toEqual({ 429: 50 });
  // A malformed key costs no lookup, but is no less invalid.
  expect((await attacker.get({ authorization: 'Bearer sc_live_typo' })).statusCode).toBe(429);
  expect(lookups()).toBe(0);

  expect((await attacker.get(known.headers)).statusCode).toBe(200);
  // The cache drops it after seconds, and immediately when it changes. It's still known to be valid.
  await tenant.patch(`/api-keys/${known.id}`, { name: 'Renamed' });
  await expect.poll(async () => ((await attacker.get(known.headers)).statusCode === 200 ? lookups() : -1)).toBe(1);
  // A genuine token is verified without a query.
  const token = await customers.sign({ sub: tenant.subject });
  expect((await attacker.get({ authorization: `Bearer ${token}` })).statusCode).toBe(200);
  // A query would be needed to see that it is valid.
  expect((await attacker.get(unknown.headers)).statusCode).toBe(429);
  expect((await otherIp.get(unknown.headers)).statusCode).toBe(200);
  expect((await attacker.get(unknown.headers)).statusCode).toBe(200); // known by now

  await tenant.post(`/api-keys/${known.id}/revoke`);
  await expect.poll(async () => (await attacker.get(known.headers)).statusCode).toBe(429);
});

test('counts forged access tokens and session tokens together with keys, per IPv6 /64', async () => {
  const [attacker, neighbour, stranger] = [from('2001:db8:1:2::a'), from('2001:db8:1:2::b'), from('2001:db8:1:3::a')];
  const forged = { authorization: `Bearer ${await customers.sign({ sub: 'x', iss: 'https://evil.example' })}` };
  expect(ipKey('2001:db8:1:2::a')).toBe(ipKey('2001:db8:1:2::b'));
  expect(await statusesOf(8, () => attacker.get(forged))).toEqual({ 401: 8 });
  expect(await statusesOf(8, () => attacker.get(forged, '/widget/conversation'))).toEqual({ 401: 8 });
  expect(await statusesOf(8, () => attacker.get(unknownKey()))).toEqual({ 401: 4, 429: 4 });
  for (const url of ['/me', '/widget/conversation', '/admin/me'])
    expect((await neighbour.get(forged, url)).statusCode, url).toBe(429);
  expect((await stranger.get(forged)).statusCode).toBe(401);
});

test('does not count requests without a credential, nor expired or misplaced ones', async () => {
  const tenant = await aTenant();
  const client = from('198.51.100.20');
  const seconds = Math.floor(Date.now() / 1_000);
  const expired = await customers.sign({ sub: tenant.subject, iat: seconds - 900, exp: seconds - 300 });
  const harmless: [Headers, string?][] = [
    [{}],
    [{ authorization: `Bearer ${expired}` }],
    [tenant.headers, '/admin/me'], // the other pool
    [{ authorization: 'Bearer pk_live_x' }],
  ];
  for (const [headers, url] of harmless) {
    const response = await client.get(headers, url);
    expect([response.statusCode, response.headers['ratelimit']], response.body).toEqual([401, undefined]);
  }
  const { ratelimit } = (await client.get(unknownKey())).headers;
  expect(ratelimit).toMatch(/^"failed-authentications";r=19;/);
});

test('another process refuses them too, after one attempt', async () => {
  const second = await openApi({ FAILED_AUTHENTICATIONS_PER_MINUTE: String(perMinute) });
  const [here, there] = [from('198.51.100.30'), from('198.51.100.30', second.app)];
  await statusesOf(perMinute, () => here.get(unknownKey()));
  expect((await there.get(unknownKey())).statusCode).toBe(429);
  const lookups = spyOnLookups();
  expect((await there.get(unknownKey())).statusCode).toBe(429);
  expect(lookups()).toBe(0);
  await second.close();
});

test('without Valkey, a process allows a quarter of them, and valid credentials still work', async () => {
  const alone = await openApi({
    FAILED_AUTHENTICATIONS_PER_MINUTE: String(perMinute),
    VALKEY_URL: 'redis://127.0.0.1:9',
  });
  const tenant = await aTenant();
  const client = from('198.51.100.40', alone.app);
  expect(await statusesOf(10, () => client.get(unknownKey()))).toEqual({ 401: perMinute / 4, 429: 10 - perMinute / 4 });
  expect((await client.get(tenant.headers)).statusCode).toBe(200);
  await alone.close();
});

test('lists rejected attempts for platform admins, without IP addresses', async () => {
  const operator = await anOperator();
  const response = await operator.get('/admin/rate-limit-usage?hours=1');
  await node.platform.rateLimitUsage.top(1, 1); // writes what it has counted
  await expect
    .poll(async () => (await operator.get('/admin/rate-limit-usage?hours=1')).json().refusals)
    .toContainEqual({
      tenantId: null,
      tenantName: null,
      policy: 'failed-authentications',
      refused: expect.toSatisfy((refused: number) => refused >= 50),
    });
  expect(response.body).not.toContain('198.51');
});
