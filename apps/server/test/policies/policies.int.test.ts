import { sql } from 'kysely';
import { TOTP, Secret } from 'otpauth';
import { afterAll, expect, test, vi } from 'vitest';
import { readEvents } from '../chat/stream-reader.ts';
import { plantConversation } from '../rules/chats.ts';
import { newId } from '../../src/platform/ids.ts';
import {
  admin,
  allowSupport,
  anOperator,
  api,
  as,
  aTenant,
  aUser,
  customers,
  eventsOf,
  listen,
  openApi,
  operators,
  send,
} from '../harness.ts';
import { aMember, aTenantWithOwner, outcome } from './scene.ts';

// A second node of the same deployment, which must enforce changes made on the first.
const other = await openApi({
  OIDC_ISSUERS: JSON.stringify([{ ...customers.config, mfaAcrValues: ['gold'] }, operators.config]),
});
const base = await listen();
afterAll(other.close);

const withinFiveSeconds = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5_000, interval: 100 });
const at = (client: { headers: Record<string, string> }, url: string, { app } = other) =>
  send('GET', url, client.headers, undefined, app);
const twoFactorRequired = [403, 'two_factor_required'];

test('returns no policies by default, and 403 for changes by anyone but a recently authenticated owner', async () => {
  const { tenant, owner } = await aTenantWithOwner();
  const { tenantId } = tenant;
  expect((await owner.get('/tenant/policies')).json()).toEqual({
    policies: {
      requireTwoFactor: false,
      allowedEmailDomains: [],
      maxSessionHours: null,
      memberIpRanges: [],
      serverKeyIpRanges: [],
    },
    membersOutsideDomains: 0,
    yourIp: '127.0.0.1',
  });
  const change = { maxSessionHours: 8 };
  const manager = await aUser([{ tenantId, roles: ['admin'] }]);
  expect((await manager.get(`/tenants/${tenantId}/policies`)).statusCode).toBe(200);
  expect(outcome(await manager.patch('/tenant/policies', change))).toEqual([403, 'permission_missing']);
  const viewer = await aUser([{ tenantId, roles: ['viewer'] }]);
  expect(outcome(await viewer.get('/tenant/policies'))).toEqual([403, 'permission_missing']);
  const stale = await aUser([{ tenantId, roles: ['owner'] }], { auth_time: Math.floor(Date.now() / 1_000) - 600 });
  expect(outcome(await stale.patch('/tenant/policies', change))).toEqual([403, 'step_up_required']);
  await allowSupport(tenant);
  const impersonation = await (
    await anOperator('support')
  ).post(`/admin/tenants/${tenantId}/impersonate`, { userId: tenant.userId, reason: 'Ticket 1' });
  const support = as({ authorization: `Bearer ${impersonation.json<{ accessToken: string }>().accessToken}` });
  expect(outcome(await support.patch('/tenant/policies', change))).toEqual([403, 'permission_missing']);
});

test('a change emits one event and one audit entry, and an unchanged update none', async () => {
  const { tenant, owner, setPolicies } = await aTenantWithOwner();
  await setPolicies({ maxSessionHours: 8 });
  await setPolicies({ maxSessionHours: 8 });
  await setPolicies({});
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'policies.changed')).toHaveLength(1);
  const { data } = (await owner.get('/audit-log?limit=5')).json<{
    data: { action: string; actor: { id: string } }[];
  }>();
  expect(data[0]).toMatchObject({ action: 'policies.changed', actor: { id: owner.userId } });
});

test('returns 403 two_factor_required on another node within five seconds, until the member has set it up', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const member = await aMember(tenant);
  const key = await tenant.post('/api-keys', { name: 'Key', keyType: 'secret_server', permissions: ['bot.view'] });
  const { apiKey, secret } = key.json<{ apiKey: { id: string }; secret: string }>();
  const server = { headers: { authorization: `Bearer ${secret}`, 'x-service-api-key-id': apiKey.id } };
  expect((await at(member, '/bots')).statusCode).toBe(200);
  expect((await at(member, '/me')).json()).toMatchObject({ refusedBy: null });

  await setPolicies({ requireTwoFactor: true });
  await withinFiveSeconds(async () => expect(outcome(await at(member, '/bots'))).toEqual(twoFactorRequired));
  for (const url of ['/tenant', '/conversations', `/tenants/${tenant.tenantId}/bots`, '/announcements'])
    expect(outcome(await at(member, url)), url).toEqual(twoFactorRequired);
  for (const url of ['/me', '/me/tenants', '/mfa', '/sessions'])
    expect((await at(member, url)).statusCode, url).toBe(200);
  expect((await at(member, '/me')).json()).toMatchObject({ refusedBy: 'two_factor_required' });
  expect((await at(server, '/bots')).statusCode).toBe(200); // keys have no two-factor authentication

  const started = await member.post('/mfa/totp');
  const totp = new TOTP({
    secret: Secret.fromBase32(started.json<{ secret: string }>().secret),
    digits: 6,
    period: 30,
  });
  expect((await member.post('/mfa/totp/confirm', { code: totp.generate() })).statusCode).toBe(200);
  expect((await member.get('/bots')).statusCode).toBe(200); // immediately on the same node
  await withinFiveSeconds(async () => expect((await at(member, '/bots')).statusCode).toBe(200));
});

test('a member without two-factor authentication can sign out and switch to another tenant', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const member = await aMember(tenant);
  const { tenantId } = await aTenant();
  const { userId } = member;
  await sql`insert into directory.user_tenants values (${userId}, ${tenantId})`.execute(admin);
  await admin
    .insertInto('memberships')
    .values({ tenantId, userId, roles: ['agent'] })
    .execute();
  await setPolicies({ requireTwoFactor: true });
  await withinFiveSeconds(async () => expect(outcome(await member.get('/bots'))).toEqual(twoFactorRequired));
  const switched = await send('POST', '/auth/switch-tenant', {}, { refreshToken: member.refreshToken, tenantId });
  const { accessToken, refreshToken } = switched.json<{ accessToken: string; refreshToken: string }>();
  const inOtherTenant = as({ authorization: `Bearer ${accessToken}` });
  expect((await inOtherTenant.get('/bots')).statusCode).toBe(200);
  expect((await send('POST', '/auth/logout', {}, { refreshToken })).statusCode).toBe(200);
  await withinFiveSeconds(async () => expect((await inOtherTenant.get('/me')).statusCode).toBe(401));
});

test('returns 409 own_two_factor_missing when the owner who requires it has none', async () => {
  const tenant = await aTenant();
  const change = { requireTwoFactor: true };
  expect(outcome(await tenant.patch('/tenant/policies', change))).toEqual([409, 'own_two_factor_missing']);
  const owner = await aMember(tenant, ['owner']);
  expect(outcome(await owner.patch('/tenant/policies', change))).toEqual([409, 'own_two_factor_missing']);
  expect((await tenant.get('/tenant/policies')).json()).toMatchObject({ policies: { requireTwoFactor: false } });
});

test('accepts only `mfa` in amr or a configured acr as two-factor authentication of an external issuer', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  await setPolicies({ requireTwoFactor: true });
  const memberships = [{ tenantId: tenant.tenantId, roles: ['agent'] }];
  const statusFor = async (claims: object, node = other) =>
    (await at(await aUser(memberships, { ...claims }), '/bots', node)).statusCode;
  expect(await statusFor({ amr: ['pwd', 'mfa'] })).toBe(200);
  expect(await statusFor({ acr: 'gold' })).toBe(200);
  for (const claims of [{}, { amr: ['pwd'] }, { amr: 'mfa' }, { acr: 'silver' }, { acr: ['gold'] }, { mfa: true }])
    expect(await statusFor(claims), JSON.stringify(claims)).toBe(403);
  expect(await statusFor({ acr: 'gold' }, api)).toBe(403); // a node without this acr in its configuration
});

test('closes the stream of a member without two-factor authentication within five seconds, with the reason', async () => {
  const { tenant, owner } = await aTenantWithOwner();
  const { tenantId, environmentId, botId } = tenant;
  const version = await tenant.post(`/bots/${botId}/versions`, {});
  const versionId = version.json<{ version: { id: string } }>().version.id;
  const conversation = { tenantId, environmentId, botId, visitorId: newId('visitor'), versionId, contactId: null };
  const [id] = await plantConversation(conversation, { state: 'human' });
  const member = await aMember(tenant);
  const url = `${base}/conversations/${id}/events`;
  const [memberStream, ownerStream] = [
    await readEvents(url, { headers: member.headers }),
    await readEvents(url, { headers: owner.headers }),
  ];
  await Promise.all([memberStream.waitFor(({ event }) => event), ownerStream.waitFor(({ event }) => event)]);
  let isOwnerStreamClosed = false;
  void ownerStream.ended.then(() => (isOwnerStreamClosed = true));
  const change = await as(owner.headers, other.app).patch('/tenant/policies', { requireTwoFactor: true });
  expect(change.statusCode).toBe(200);
  expect(await memberStream.ended).toBe('ended');
  expect(memberStream.events.at(-1)?.data).toMatchObject({ reason: 'two_factor_required' });
  expect(isOwnerStreamClosed).toBe(false);
});

test('returns 401 session_too_old after the maximum age, which a step-up renews but a refresh does not', async () => {
  const { tenant, setPolicies } = await aTenantWithOwner();
  const member = await aMember(tenant);
  await setPolicies({ maxSessionHours: 2 });
  const setAuthenticatedAgo = (minutes: number) =>
    admin
      .withSchema('customer_pool')
      .updateTable('sessions' as never)
      .set({ authenticatedAt: new Date(Date.now() - minutes * 60_000) } as never)
      .where('userId' as never, '=', member.userId as never)
      .execute();
  const tooOld = [401, 'session_too_old'];
  await setAuthenticatedAgo(119);
  expect((await at(member, '/bots')).statusCode).toBe(200);
  await setAuthenticatedAgo(121);
  await withinFiveSeconds(async () => expect(outcome(await at(member, '/bots'))).toEqual(tooOld));
  const refreshed = await send('POST', '/auth/refresh', {}, { refreshToken: member.refreshToken });
  const again = as({ authorization: `Bearer ${refreshed.json<{ accessToken: string }>().accessToken}` });
  await withinFiveSeconds(async () => expect(outcome(await again.get('/bots'))).toEqual(tooOld));
  expect((await again.post('/auth/step-up', { password: member.password })).statusCode).toBe(200);
  await withinFiveSeconds(async () => expect((await again.get('/bots')).statusCode).toBe(200));

  const unknown = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }], { auth_time: undefined });
  expect(outcome(await unknown.get('/bots'))).toEqual(tooOld);
});

test.each([0, 2_161, 1.5, '8', -1])('returns 400 for a maximum session of %j hours', async (maxSessionHours) => {
  const { owner } = await aTenantWithOwner();
  expect((await owner.patch('/tenant/policies', { maxSessionHours })).statusCode).toBe(400);
});
