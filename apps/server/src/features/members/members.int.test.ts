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
const remove = (who: { headers: Headers }, userId: string) => send('DELETE', `${url}/${userId}`, who.headers);
const transfer = (who: { headers: Headers }, userId: string) =>
  send('POST', `${url}/${userId}/transfer-ownership`, who.headers);
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const rolesOf = async (tenant: TestTenant, userId: string) =>
  (await tenant.get(`${url}/${userId}`)).json<{ member: Member }>().member.roles;
const memberEvents = async ({ tenantId }: TestTenant) =>
  (await eventsOf(tenantId)).filter((type) => /^(member|ownership)\./.test(type));
/** A credential that says so, whatever the membership says by now. */
const ownerOf = ({ tenantId }: TestTenant, id: string): Caller => ({
  tenantId,
  actor: { type: 'user', id },
  permissions: permissionsOf(rolePermissions, ['owner']),
});
const noInvalidation = () => {};
const disable = (userId: string) =>
  sql`update directory.users set disabled_at = now() where user_id = ${userId}`.execute(admin);

test.each([url, '/tenants/:tenantId/members'])(
  '200 at %s: newest first, in pages that neither skip nor repeat, and nobody of another tenant',
  async (path) => {
    const [tenant, theirs] = [await aTenant(), await aTenant()];
    await aMember(theirs, 'viewer');
    const ids = [tenant.userId];
    for (let i = 0; i < 4; i++) ids.unshift((await aMember(tenant, 'viewer')).userId);
    const seen: string[] = [];
    let cursor = '';
    do {
      const address = path.replace(':tenantId', tenant.tenantId);
      const page = (await tenant.get(`${address}?limit=2${cursor && `&cursor=${cursor}`}`)).json<{
        data: Member[];
        nextCursor: string | null;
      }>();
      seen.push(...page.data.map(({ userId }) => userId));
      cursor = page.nextCursor ?? '';
    } while (cursor);
    expect(seen).toEqual(ids);
  },
);

test('200: a member is shown with name, address and sorted roles, those we do not know left out', async () => {
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

test('the roles that can be given are those that mean something', () => {
  expect(TenantRole.options).toEqual(Object.keys(rolePermissions));
});

test('200: changed roles are told once, with those before, and the audit log says who did it', async () => {
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

test('200: changed roles act on the next request', async () => {
  const tenant = await aTenant();
  const member = await aMember(tenant, 'viewer');
  expect((await member.get(url)).statusCode).toBe(403);
  await tenant.patch(`${url}/${member.userId}`, { roles: ['admin'] });
  expect((await member.get(url)).statusCode).toBe(200);
});

test('200: whoever is removed is out at once, also seen from their own side', async () => {
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

test('200: ownership goes to the other, and who gave it is an admin, in one step', async () => {
  const tenant = await aTenant({ roles: ['owner', 'agent'] });
  const heir = await aMember(tenant, 'viewer');
  const res = await transfer(tenant, heir.userId);
  expect(res.json()).toMatchObject({
    member: { userId: heir.userId, roles: ['owner', 'viewer'] },
    previousOwner: { userId: tenant.userId, roles: ['admin', 'agent'] },
  });
  expect((await heir.get('/me')).json().roles.toSorted()).toEqual(['owner', 'viewer']);
  expect(await rolesOf(tenant, tenant.userId)).toEqual(['admin', 'agent']);
  expect(await memberEvents(tenant)).toEqual(['ownership.transferred']);
});

test('409 already_owner, 409 member_disabled: ownership goes to another, who can sign in', async () => {
  const tenant = await aTenant();
  const heir = await aMember(tenant, 'admin');
  await disable(heir.userId);
  expect(refusal(await transfer(tenant, tenant.userId))).toEqual([409, 'already_owner']);
  expect(refusal(await transfer(tenant, heir.userId))).toEqual([409, 'member_disabled']);
});

test('403 role_too_low: an admin neither makes nor unmakes an owner', async () => {
  const tenant = await aTenant();
  const [boss, other] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  for (const res of [
    await boss.patch(`${url}/${tenant.userId}`, { roles: ['viewer'] }),
    await remove(boss, tenant.userId),
    await boss.patch(`${url}/${other.userId}`, { roles: ['owner'] }),
    await boss.patch(`${url}/${boss.userId}`, { roles: ['admin', 'owner'] }),
  ])
    expect(refusal(res)).toEqual([403, 'role_too_low']);
  expect(refusal(await transfer(boss, other.userId))).toEqual([403, 'permission_missing']);
  expect((await boss.patch(`${url}/${other.userId}`, { roles: ['admin'] })).statusCode).toBe(200);
  expect((await remove(boss, other.userId)).statusCode).toBe(200);
});

test('403 role_too_low: in the seconds in which a lost role is still remembered, it gives nothing that stays', async () => {
  const tenant = await aTenant();
  const [fallen, friend] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  const remembered = ownerOf(tenant, fallen.userId);
  for (const attempt of [
    (ctx: Context) => changeRoles(ctx, fallen.userId, ['owner'], noInvalidation),
    (ctx: Context) => changeRoles(ctx, friend.userId, ['owner'], noInvalidation),
    (ctx: Context) => transferOwnership(ctx, friend.userId, noInvalidation),
    (ctx: Context) => createInvitation(ctx, { email: 'friend@example.com', roles: ['owner'], locale: 'en' }),
  ])
    await expect(inTenant<unknown>(services, remembered, attempt)).rejects.toMatchObject({
      status: 403,
      reason: 'role_too_low',
    });
});

test('409 last_owner: neither removed nor demoted, not even by themselves; one who cannot sign in is none', async () => {
  const tenant = await aTenant();
  const second = await aMember(tenant, 'owner');
  expect((await tenant.patch(`${url}/${second.userId}`, { roles: ['owner', 'agent'] })).statusCode).toBe(200);
  await disable(second.userId);
  for (const ask of [
    () => tenant.patch(`${url}/${tenant.userId}`, { roles: ['admin'] }),
    () => remove(tenant, tenant.userId),
  ])
    expect(refusal(await ask())).toEqual([409, 'last_owner']);
  expect((await tenant.patch(`${url}/${tenant.userId}`, { roles: ['admin', 'owner'] })).statusCode).toBe(200);
  expect((await remove(tenant, second.userId)).statusCode).toBe(200);
  expect(refusal(await remove(tenant, tenant.userId))).toEqual([409, 'last_owner']);
});

test("404 member_not_found: another tenant's member is like none", async () => {
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

test('403 permission_missing: a server key is refused, and so are those who lead nobody', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'viewer');
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  for (const who of [key, await aMember(tenant, 'developer', 'agent', 'viewer')])
    for (const res of [
      await who.get(url),
      await who.get(`${url}/${other.userId}`),
      await who.patch(`${url}/${other.userId}`, { roles: ['admin'] }),
      await remove(who, other.userId),
      await transfer(who, other.userId),
    ])
      expect(refusal(res)).toEqual([403, 'permission_missing']);
});

test.each([
  ['/roles', { roles: [] }],
  ['/roles', { roles: ['agent', 'agent'] }],
  ['/roles/0', { roles: ['king'] }],
  ['/', { roles: ['agent'], email: 'new@example.com' }],
])('400: says what is wrong at %s with %j', async (path, body) => {
  const tenant = await aTenant();
  const res = await tenant.patch(`${url}/${tenant.userId}`, body);
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json().error.details).toMatchObject([{ path }]);
});

test('every node is told to forget a membership that changed, after the commit and not without one', async () => {
  const tenant = await aTenant();
  const [first, second] = [await aMember(tenant, 'viewer'), await aUser([])];
  const forgotten: string[] = [];
  const invalidate = (tenantId: string, userId: string) => void forgotten.push(`${tenantId}/${userId}`);
  const told = () => forgotten.splice(0).map((key) => key.replace(`${tenant.tenantId}/`, ''));
  const caller = ownerOf(tenant, tenant.userId);

  await inTenant(services, caller, async (ctx) => {
    await changeRoles(ctx, first.userId, ['agent'], invalidate);
    expect(forgotten).toEqual([]);
  });
  expect(told()).toEqual([first.userId]);
  await inside(tenant.tenantId, (ctx) => addMember(ctx, second.userId, ['viewer'], invalidate));
  expect(told()).toEqual([second.userId]);
  await inTenant(services, caller, (ctx) => removeMember(ctx, first.userId, invalidate));
  expect(told()).toEqual([first.userId]);
  const undone = inTenant(services, caller, async (ctx) => {
    await removeMember(ctx, second.userId, invalidate);
    throw new Error('rolled back on purpose');
  });
  await expect(undone).rejects.toThrow('rolled back on purpose');
  expect(told()).toEqual([]);
  await inTenant(services, caller, (ctx) => transferOwnership(ctx, second.userId, invalidate));
  expect(told()).toEqual([second.userId, tenant.userId]);
});
