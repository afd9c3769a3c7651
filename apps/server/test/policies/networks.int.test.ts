import { afterAll, expect, test, vi } from 'vitest';
import { admin, aKey, allowSupport, anOperator, as, aTenant, openApi, send } from '../harness.ts';
import { aMember, aTenantWithOwner, outcome, sendFrom } from './scene.ts';

/** A service behind a trusted proxy. */
const proxied = await openApi({ TRUSTED_PROXIES: '127.0.0.1' });
afterAll(proxied.close);

const withinFiveSeconds = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5_000, interval: 100 });
const notAllowed = [403, 'ip_not_allowed'];
const inside = '203.0.113.7';
const outside = '198.51.100.7';

test('returns 403 ip_not_allowed for server keys outside of their ranges within five seconds, but not for members', async () => {
  const { tenant, owner, setPolicies } = await aTenantWithOwner();
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  const from = (ip: string, url = '/bots') => sendFrom(ip, 'GET', url, key.headers);
  expect((await from(outside)).statusCode).toBe(200);
  const changed = await setPolicies({ serverKeyIpRanges: ['203.0.113.0/24', '2001:DB8::/32', '::ffff:192.0.2.1'] });
  expect(changed.json()).toMatchObject({
    policies: { serverKeyIpRanges: ['192.0.2.1/32', '2001:db8::/32', '203.0.113.0/24'] },
  });
  await withinFiveSeconds(async () => expect(outcome(await from(outside))).toEqual(notAllowed));
  expect(outcome(await from(outside, '/me'))).toEqual(notAllowed); // a key has no personal routes
  expect(outcome(await from('2001:db9::1'))).toEqual(notAllowed);
  for (const ip of [inside, `::ffff:${inside}`, '2001:db8::1', '192.0.2.1'])
    expect((await from(ip)).statusCode, ip).toBe(200);
  expect((await sendFrom(outside, 'GET', '/bots', owner.headers)).statusCode).toBe(200);
  await setPolicies({ serverKeyIpRanges: [] });
  await withinFiveSeconds(async () => expect((await from(outside)).statusCode).toBe(200));
});

test('returns 403 ip_not_allowed for members outside of their ranges, except for their own account, server keys and support', async () => {
  const { tenant, owner } = await aTenantWithOwner();
  const member = await aMember(tenant);
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  await allowSupport(tenant);
  const operator = await anOperator('support');
  const change = { memberIpRanges: [inside] };
  expect((await sendFrom(inside, 'PATCH', '/tenant/policies', owner.headers, change)).statusCode).toBe(200);
  const from = (ip: string, url: string, client: { headers: Record<string, string> }) =>
    sendFrom(ip, 'GET', url, client.headers);
  await withinFiveSeconds(async () => expect(outcome(await from(outside, '/bots', member))).toEqual(notAllowed));
  expect(outcome(await from(outside, '/tenant/policies', owner))).toEqual(notAllowed);
  expect((await from(inside, '/bots', member)).statusCode).toBe(200);
  expect((await from(`::ffff:${inside}`, '/bots', member)).statusCode).toBe(200);
  expect((await from(outside, '/me', member)).json()).toMatchObject({ refusedBy: 'ip_not_allowed' });
  expect((await from(outside, '/sessions', member)).statusCode).toBe(200);
  expect((await from(outside, '/bots', key)).statusCode).toBe(200);
  const impersonation = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, {
    userId: tenant.userId,
    reason: 'Ticket 1',
  });
  const support = as({ authorization: `Bearer ${impersonation.json<{ accessToken: string }>().accessToken}` });
  expect((await from(outside, '/bots', support)).statusCode).toBe(200);
});

test('uses the IP address from a trusted proxy and ignores it from others', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  await setPolicies({ serverKeyIpRanges: [inside] });
  const forwarded = (ip: string) => ({ ...key.headers, 'x-forwarded-for': ip });
  const behindProxy = (ip: string) => send('GET', '/bots', forwarded(ip), undefined, proxied.app);
  await withinFiveSeconds(async () => expect(outcome(await behindProxy(outside))).toEqual(notAllowed));
  expect((await behindProxy(inside)).statusCode).toBe(200);
  expect((await behindProxy(`${outside}, ${inside}`)).statusCode).toBe(200);
  expect(outcome(await behindProxy(`${inside}, ${outside}`))).toEqual(notAllowed); // the first one comes from the client
  expect(outcome(await sendFrom(outside, 'GET', '/bots', forwarded(inside)))).toEqual(notAllowed);
});

test('returns 409 own_ip_excluded when the ranges would lock out their author, and changes nothing', async () => {
  const { owner } = await aTenantWithOwner();
  const change = (memberIpRanges: string[]) =>
    sendFrom(inside, 'PATCH', '/tenant/policies', owner.headers, { memberIpRanges });
  expect(outcome(await change(['198.51.100.0/24']))).toEqual([409, 'own_ip_excluded']);
  expect((await owner.get('/tenant/policies')).json()).toMatchObject({ policies: { memberIpRanges: [] } });
  expect((await change(['198.51.100.0/24', '203.0.113.0/24'])).statusCode).toBe(200);
});

test.each(['203.0.113.256', '203.0.113.0/33', '2001:db8::/129', 'example.com', '', '10.0.0.0/8/8'])(
  'returns 400 with the path of the invalid IP range %j',
  async (range) => {
    const { owner } = await aTenantWithOwner();
    const response = await owner.patch('/tenant/policies', { serverKeyIpRanges: ['203.0.113.1', range] });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain('serverKeyIpRanges/1');
  },
);

test('a policy does not affect other tenants', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const otherTenant = await aTenant();
  const key = await aKey(otherTenant, { permissions: ['bot.view'] });
  await setPolicies({ requireTwoFactor: true, serverKeyIpRanges: [inside], maxSessionHours: 1 });
  await withinFiveSeconds(async () => expect((await tenant.get('/bots')).statusCode).toBe(403));
  expect((await otherTenant.get('/bots')).statusCode).toBe(200);
  expect((await sendFrom(outside, 'GET', '/bots', key.headers)).statusCode).toBe(200);
  const { requireTwoFactor } = await admin
    .selectFrom('tenants')
    .select('requireTwoFactor')
    .where('tenantId', '=', otherTenant.tenantId)
    .executeTakeFirstOrThrow();
  expect(requireTwoFactor).toBe(false);
});
