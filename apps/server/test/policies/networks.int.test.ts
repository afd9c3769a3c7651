import { afterAll, expect, test, vi } from 'vitest';
import { admin, aKey, allowSupport, anOperator, as, aTenant, openApi, send } from '../harness.ts';
import { aMember, aTenantWithOwner, outcome, sendFrom } from './scene.ts';

/** Behind a proxy, which says whom it speaks for. */
const proxied = await openApi({ TRUSTED_PROXIES: '127.0.0.1' });
afterAll(proxied.close);

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5_000, interval: 100 });
const notAllowed = [403, 'ip_not_allowed'];
const inside = '203.0.113.7';
const outside = '198.51.100.7';

test('403 ip_not_allowed for server keys outside of their list within five seconds, and members are not concerned', async () => {
  const { tenant, owner, setPolicies } = await aTenantWithOwner();
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  const from = (ip: string, url = '/bots') => sendFrom(ip, 'GET', url, key.headers);
  expect((await from(outside)).statusCode).toBe(200);
  const changed = await setPolicies({ serverKeyIpRanges: ['203.0.113.0/24', '2001:DB8::/32', '::ffff:192.0.2.1'] });
  expect(changed.json()).toMatchObject({
    policies: { serverKeyIpRanges: ['192.0.2.1/32', '2001:db8::/32', '203.0.113.0/24'] },
  });
  await soon(async () => expect(outcome(await from(outside))).toEqual(notAllowed));
  expect(outcome(await from(outside, '/me'))).toEqual(notAllowed); // of a key nothing is personal
  expect(outcome(await from('2001:db9::1'))).toEqual(notAllowed);
  for (const ip of [inside, `::ffff:${inside}`, '2001:db8::1', '192.0.2.1'])
    expect((await from(ip)).statusCode, ip).toBe(200);
  expect((await sendFrom(outside, 'GET', '/bots', owner.headers)).statusCode).toBe(200);
  await setPolicies({ serverKeyIpRanges: [] });
  await soon(async () => expect((await from(outside)).statusCode).toBe(200));
});

test('403 ip_not_allowed for members outside of their list, but for their own account; server keys and support are not concerned', async () => {
  const { tenant, owner } = await aTenantWithOwner();
  const member = await aMember(tenant);
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  await allowSupport(tenant);
  const operator = await anOperator('support');
  const change = { memberIpRanges: [inside] };
  expect((await sendFrom(inside, 'PATCH', '/tenant/policies', owner.headers, change)).statusCode).toBe(200);
  const from = (ip: string, url: string, who: { headers: Record<string, string> }) =>
    sendFrom(ip, 'GET', url, who.headers);
  await soon(async () => expect(outcome(await from(outside, '/bots', member))).toEqual(notAllowed));
  expect(outcome(await from(outside, '/tenant/policies', owner))).toEqual(notAllowed);
  expect((await from(inside, '/bots', member)).statusCode).toBe(200);
  expect((await from(`::ffff:${inside}`, '/bots', member)).statusCode).toBe(200);
  expect((await from(outside, '/me', member)).json()).toMatchObject({ refusedBy: 'ip_not_allowed' });
  expect((await from(outside, '/sessions', member)).statusCode).toBe(200);
  expect((await from(outside, '/bots', key)).statusCode).toBe(200);
  const lent = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, {
    userId: tenant.userId,
    reason: 'Ticket 1',
  });
  const support = as({ authorization: `Bearer ${lent.json<{ accessToken: string }>().accessToken}` });
  expect((await from(outside, '/bots', support)).statusCode).toBe(200);
});

test('the IP address is the one that a trusted proxy names, and what anybody else names is ignored', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const key = await aKey(tenant, { permissions: ['bot.view'] });
  await setPolicies({ serverKeyIpRanges: [inside] });
  const forwarded = (ip: string) => ({ ...key.headers, 'x-forwarded-for': ip });
  const behindProxy = (ip: string) => send('GET', '/bots', forwarded(ip), undefined, proxied.app);
  await soon(async () => expect(outcome(await behindProxy(outside))).toEqual(notAllowed));
  expect((await behindProxy(inside)).statusCode).toBe(200);
  expect((await behindProxy(`${outside}, ${inside}`)).statusCode).toBe(200);
  expect(outcome(await behindProxy(`${inside}, ${outside}`))).toEqual(notAllowed); // the client wrote the first
  expect(outcome(await sendFrom(outside, 'GET', '/bots', forwarded(inside)))).toEqual(notAllowed);
});

test('409 own_ip_excluded when the list of members would lock its author out, and nothing changes', async () => {
  const { owner } = await aTenantWithOwner();
  const change = (memberIpRanges: string[]) =>
    sendFrom(inside, 'PATCH', '/tenant/policies', owner.headers, { memberIpRanges });
  expect(outcome(await change(['198.51.100.0/24']))).toEqual([409, 'own_ip_excluded']);
  expect((await owner.get('/tenant/policies')).json()).toMatchObject({ policies: { memberIpRanges: [] } });
  expect((await change(['198.51.100.0/24', '203.0.113.0/24'])).statusCode).toBe(200);
});

test.each(['203.0.113.256', '203.0.113.0/33', '2001:db8::/129', 'example.com', '', '10.0.0.0/8/8'])(
  '400 naming the entry for the IP range %j',
  async (range) => {
    const { owner } = await aTenantWithOwner();
    const response = await owner.patch('/tenant/policies', { serverKeyIpRanges: ['203.0.113.1', range] });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain('serverKeyIpRanges/1');
  },
);

test('a policy of one tenant concerns no other', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const neighbour = await aTenant();
  const key = await aKey(neighbour, { permissions: ['bot.view'] });
  await setPolicies({ requireTwoFactor: true, serverKeyIpRanges: [inside], maxSessionHours: 1 });
  await soon(async () => expect((await tenant.get('/bots')).statusCode).toBe(403));
  expect((await neighbour.get('/bots')).statusCode).toBe(200);
  expect((await sendFrom(outside, 'GET', '/bots', key.headers)).statusCode).toBe(200);
  const { requireTwoFactor } = await admin
    .selectFrom('tenants')
    .select('requireTwoFactor')
    .where('tenantId', '=', neighbour.tenantId)
    .executeTakeFirstOrThrow();
  expect(requireTwoFactor).toBe(false);
});
