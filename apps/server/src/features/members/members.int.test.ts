import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  admin,
  aKey,
  aTenant,
  aUser,
  eventsOf,
  services,
  inside,
  send,
  type Headers,
  type Response,
  type TestTenant,
} from '../../../test/harness.ts';
import { KeyPermission } from '../api-keys/api-keys.contract.ts';
import { inTenant, type Caller, type Context } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { permissionsOf, rolePermissions } from '../users/index.ts';
import { createInvitation } from './invitations.service.ts';
import { TenantRole, type Member } from './members.contract.ts';
import { addMember, changeRoles, removeMember, transferOwnership } from './members.service.ts';

const url = '/members';
const aMember = ({ tenantId }: TestTenant, ...roles: string[]) => aUser([{ tenantId, roles }]);
const remove = (client: { headers: Headers }, userId: string) => send('DELETE', `${url}/${userId}`, client.headers);
const transfer = (client: { headers: Headers }, userId: string) =>
  send('POST', `${url}/${userId}/transfer-ownership`, client.headers);
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const rolesOf = async (tenant: TestTenant, userId: string) =>
  (await tenant.get(`${url}/${userId}`)).json<{ member: Member }>().member.roles;
const memberEvents = async ({ tenantId }: TestTenant) =>
  (await eventsOf(tenantId)).filter((type) => /^(member|ownership)\./.test(type));
/** A caller with cached owner permissions, whatever the current membership. */
const ownerOf = ({ tenantId }: TestTenant, id: string): Caller => ({
  tenantId,
  actor: { type: 'user', id },
  permissions: permissionsOf(rolePermissions, ['owner']),
});
const noInvalidation = () => {};
const disable = (userId: string) =>
  sql`update directory.users set disabled_at = now() where user_id = ${userId}`.execute(admin);

test.each([url, '/tenants/:tenantId/members'])(
  'lists members at %s newest first, without gaps or duplicates between pages, and only of this tenant',
  async (path) => {
    const [tenant, theirs] = [await aTenant(), await aTenant()];
    await aMember(theirs, 'viewer');
    const ids = [tenant.userId];
    for (let i = 0; i < 4; i++) ids.unshift((await aMember(tenant, 'viewer')).userId);
    const listed: string[] = [];
    let cursor = '';
    do {
      const membersUrl = path.replace(':tenantId', tenant.tenantId);
      const page = (await tenant.get(`${membersUrl}?limit=2${cursor && `&cursor=${cursor}`}`)).json<{
        data: Member[];
        nextCursor: string | null;
      }>();
      listed.push(...page.data.map(({ userId }) => userId));
      cursor = page.nextCursor ?? '';
    } while (cursor);
    expect(listed).toEqual(ids);
  },
);

test('returns name, email and sorted roles of a member, without unknown roles', async () => {
  const tenant = await aTenant();
  const { userId, email } = await aMember(tenant, 'viewer', 'no_such_role', 'agent');
  await disable(userId);
  const member = {
    userId,
    email,
    name: 'Test Person',
    roles: ['agent', 'viewer'],
    isDisabled: true,
    createdAt: expect.any(String),
  };
  expect((await tenant.get(`${url}/${userId}`)).json()).toEqual({ member });
  expect((await tenant.get(`${url}?limit=1`)).json().data).toEqual([member]);
});

test('every role that can be granted has permissions', () => {
  expect(TenantRole.options).toEqual(Object.keys(rolePermissions));
});

test('writes one audit entry with the actor and the previous roles when roles change', async () => {
  const tenant = await aTenant();
  const { userId } = await aMember(tenant, 'viewer');
  for (const roles of [
    ['developer', 'agent'],
    ['agent', 'developer'],
  ]) {
    const res = await tenant.patch(`${url}/${userId}`, { roles });
    expect(res.statusCode, res.body).toBe(200);
    expect(res.json().member).toMatchObject({ userId, roles: ['agent', 'developer'] });
  }
  const { data } = (await tenant.get(`/audit-log?subjectId=${userId}`)).json();
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    action: 'member.roles_changed',
    actor: { type: 'user', id: tenant.userId },
    requestId: expect.stringMatching(/^req_/),
    data: { object: { userId, roles: ['agent', 'developer'] }, previous: { roles: ['viewer'] } },
  });
});

test('changed roles take effect on the next request', async () => {
  const tenant = await aTenant();
  const member = await aMember(tenant, 'viewer');
  expect((await member.get(url)).statusCode).toBe(403);
  await tenant.patch(`${url}/${member.userId}`, { roles: ['admin'] });
  expect((await member.get(url)).statusCode).toBe(200);
});

test('a removed member loses access immediately', async () => {
  const tenant = await aTenant();
  const leaver = await aMember(tenant, 'admin');
  expect((await leaver.get('/me')).statusCode).toBe(200);
  expect((await remove(tenant, leaver.userId)).json().member).toMatchObject({ userId: leaver.userId });
  expect(refusal(await tenant.get(`${url}/${leaver.userId}`))).toEqual([404, 'member_not_found']);
  expect(refusal(await remove(tenant, leaver.userId))).toEqual([404, 'member_not_found']);
  expect((await leaver.get('/me')).statusCode).toBe(401);
  expect(await memberEvents(tenant)).toEqual(['member.removed']);
  const { rows } = await sql`select from directory.user_tenants where user_id = ${leaver.userId}`.execute(admin);
  expect(rows).toEqual([]);
});

test('transferring ownership makes the previous owner an admin in one step', async () => {
  const tenant = await aTenant({ roles: ['owner', 'agent'] });
  const newOwner = await aMember(tenant, 'viewer');
  const res = await transfer(tenant, newOwner.userId);
  expect(res.json()).toMatchObject({
    member: { userId: newOwner.userId, roles: ['owner', 'viewer'] },
    previousOwner: { userId: tenant.userId, roles: ['admin', 'agent'] },
  });
  expect((await newOwner.get('/me')).json().roles.toSorted()).toEqual(['owner', 'viewer']);
  expect(await rolesOf(tenant, tenant.userId)).toEqual(['admin', 'agent']);
  expect(await memberEvents(tenant)).toEqual(['ownership.transferred']);
});

test('returns 409 when ownership is transferred to oneself or to a disabled member', async () => {
  const tenant = await aTenant();
  const newOwner = await aMember(tenant, 'admin');
  await disable(newOwner.userId);
  expect(refusal(await transfer(tenant, tenant.userId))).toEqual([409, 'already_owner']);
  expect(refusal(await transfer(tenant, newOwner.userId))).toEqual([409, 'member_disabled']);
});

test('returns 403 role_too_low when an admin adds, changes or removes an owner', async () => {
  const tenant = await aTenant();
  const [tenantAdmin, other] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  for (const res of [
    await tenantAdmin.patch(`${url}/${tenant.userId}`, { roles: ['viewer'] }),
    await remove(tenantAdmin, tenant.userId),
    await tenantAdmin.patch(`${url}/${other.userId}`, { roles: ['owner'] }),
    await tenantAdmin.patch(`${url}/${tenantAdmin.userId}`, { roles: ['admin', 'owner'] }),
  ])
    expect(refusal(res)).toEqual([403, 'role_too_low']);
  expect(refusal(await transfer(tenantAdmin, other.userId))).toEqual([403, 'permission_missing']);
  expect((await tenantAdmin.patch(`${url}/${other.userId}`, { roles: ['admin'] })).statusCode).toBe(200);
  expect((await remove(tenantAdmin, other.userId)).statusCode).toBe(200);
});

test('returns 403 role_too_low when roles are granted with stale cached permissions', async () => {
  const tenant = await aTenant();
  const [demoted, friend] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  const cachedCaller = ownerOf(tenant, demoted.userId);
  for (const attempt of [
    (ctx: Context) => changeRoles(ctx, demoted.userId, ['owner'], noInvalidation),
    (ctx: Context) => changeRoles(ctx, friend.userId, ['owner'], noInvalidation),
    (ctx: Context) => transferOwnership(ctx, friend.userId, noInvalidation),
    (ctx: Context) => createInvitation(ctx, { email: 'friend@example.com', roles: ['owner'], locale: 'en' }),
  ])
    await expect(inTenant<unknown>(services, cachedCaller, attempt)).rejects.toMatchObject({
      status: 403,
      reason: 'role_too_low',
    });
});

test('returns 409 last_owner when the last enabled owner is removed or demoted', async () => {
  const tenant = await aTenant();
  const second = await aMember(tenant, 'owner');
  expect((await tenant.patch(`${url}/${second.userId}`, { roles: ['owner', 'agent'] })).statusCode).toBe(200);
  await disable(second.userId);
  for (const request of [
    () => tenant.patch(`${url}/${tenant.userId}`, { roles: ['admin'] }),
    () => remove(tenant, tenant.userId),
  ])
    expect(refusal(await request())).toEqual([409, 'last_owner']);
  expect((await tenant.patch(`${url}/${tenant.userId}`, { roles: ['admin', 'owner'] })).statusCode).toBe(200);
  expect((await remove(tenant, second.userId)).statusCode).toBe(200);
  expect(refusal(await remove(tenant, tenant.userId))).toEqual([409, 'last_owner']);
});

test("returns 404 member_not_found for another tenant's member", async () => {
  const [tenant, theirs] = [await aTenant(), await aTenant()];
  const stranger = await aMember(theirs, 'viewer');
  for (const userId of [stranger.userId, newId('user')])
    for (const res of [
      await tenant.get(`${url}/${userId}`),
      await tenant.patch(`${url}/${userId}`, { roles: ['viewer'] }),
      await remove(tenant, userId),
      await transfer(tenant, userId),
    ])
      expect(refusal(res)).toEqual([404, 'member_not_found']);
  expect(await rolesOf(theirs, stranger.userId)).toEqual(['viewer']);
});

test('returns 403 permission_missing for server keys and for members without member.manage', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'viewer');
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  for (const client of [key, await aMember(tenant, 'developer', 'agent', 'viewer')])
    for (const res of [
      await client.get(url),
      await client.get(`${url}/${other.userId}`),
      await client.patch(`${url}/${other.userId}`, { roles: ['admin'] }),
      await remove(client, other.userId),
      await transfer(client, other.userId),
    ])
      expect(refusal(res)).toEqual([403, 'permission_missing']);
});

test.each([
  ['/roles', { roles: [] }],
  ['/roles', { roles: ['agent', 'agent'] }],
  ['/roles/0', { roles: ['king'] }],
  ['/', { roles: ['agent'], email: 'new@example.com' }],
])('returns 400 with the path %s for %j', async (path, body) => {
  const tenant = await aTenant();
  const res = await tenant.patch(`${url}/${tenant.userId}`, body);
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json().error.details).toMatchObject([{ path }]);
});

test('invalidates a changed membership after the commit, and not after a rollback', async () => {
  const tenant = await aTenant();
  const [first, second] = [await aMember(tenant, 'viewer'), await aUser([])];
  const invalidated: string[] = [];
  const invalidate = (tenantId: string, userId: string) => void invalidated.push(`${tenantId}/${userId}`);
  const takeInvalidated = () => invalidated.splice(0).map((key) => key.replace(`${tenant.tenantId}/`, ''));
  const caller = ownerOf(tenant, tenant.userId);

  await inTenant(services, caller, async (ctx) => {
    await changeRoles(ctx, first.userId, ['agent'], invalidate);
    expect(invalidated).toEqual([]);
  });
  expect(takeInvalidated()).toEqual([first.userId]);
  await inside(tenant.tenantId, (ctx) => addMember(ctx, second.userId, ['viewer'], invalidate));
  expect(takeInvalidated()).toEqual([second.userId]);
  await inTenant(services, caller, (ctx) => removeMember(ctx, first.userId, invalidate));
  expect(takeInvalidated()).toEqual([first.userId]);
  const rolledBack = inTenant(services, caller, async (ctx) => {
    await removeMember(ctx, second.userId, invalidate);
    throw new Error('rolled back on purpose');
  });
  await expect(rolledBack).rejects.toThrow('rolled back on purpose');
  expect(takeInvalidated()).toEqual([]);
  await inTenant(services, caller, (ctx) => transferOwnership(ctx, second.userId, invalidate));
  expect(takeInvalidated()).toEqual([second.userId, tenant.userId]);
});
