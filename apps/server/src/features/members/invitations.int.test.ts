import { hash } from 'node:crypto';
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
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import {
  acceptInvitation,
  describeInvitation,
  findInvitationByToken,
  findInvitationsFor,
  writeInvitationToken,
} from './index.ts';
import type { Invitation } from './members.contract.ts';

const url = '/invitations';
const day = 86_400_000;
const anEmail = () => `${newId('request')}@example.com`;
const invite = (client: Pick<TestTenant, 'post'>, email = anEmail(), roles = ['viewer'], more: Headers = {}) =>
  client.post(url, { email, roles }, more);
const anInvitation = async (tenant: TestTenant, email = anEmail(), roles = ['viewer']) => {
  const res = await invite(tenant, email, roles);
  expect(res.statusCode, res.body).toBe(201);
  return res.json<{ invitation: Invitation }>().invitation;
};
const revoke = (client: { headers: Headers }, id: string) => send('DELETE', `${url}/${id}`, client.headers);
const resend = (client: Pick<TestTenant, 'post'>, id: string) => client.post(`${url}/${id}/resend`);
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const emailsTo = async (email: string) =>
  (
    await sql<{
      kind: string;
      data: unknown;
    }>`select kind, data from directory.emails where recipient = ${email}`.execute(admin)
  ).rows;
const expire = (id: string) =>
  admin.transaction().execute(async (tx) => {
    await tx
      .updateTable('invitations')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    await sql`update directory.invitations set expires_at = 'epoch' where invitation_id = ${id}`.execute(tx);
  });
const limitTo = (n: number, { tenantId }: TestTenant) =>
  admin.insertInto('entitlementOverrides').values({ tenantId, name: 'members.max', value: n }).execute();
const writeToken = (tenantId: Id<'tenant'>, id: string) => inside(tenantId, (ctx) => writeInvitationToken(ctx, id));
const accept = (tenantId: Id<'tenant'>, id: string, userId: string) =>
  inside(tenantId, (ctx) => acceptInvitation(ctx, id, userId));
const publishedEvents = async ({ tenantId }: TestTenant) =>
  (await eventsOf(tenantId)).filter((type) => /^(member|invitation)\./.test(type));

test('returns 201 with an invitation for seven days, queues an email without a token and writes an audit entry', async () => {
  const tenant = await aTenant();
  const res = await tenant.post(url, { email: 'New.Person@Example.com', roles: ['viewer', 'agent'], locale: 'de' });
  expect(res.statusCode, res.body).toBe(201);
  const { invitation } = res.json<{ invitation: Invitation }>();
  expect(invitation).toEqual({
    id: expect.stringMatching(/^inv_/),
    email: 'new.person@example.com',
    roles: ['agent', 'viewer'],
    status: 'open',
    invitedBy: tenant.userId,
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  });
  const days = (new Date(invitation.expiresAt).getTime() - Date.now()) / day;
  expect(Math.abs(days - 7)).toBeLessThan(0.01);
  const data = { tenantId: tenant.tenantId, invitationId: invitation.id, locale: 'de' };
  expect(await emailsTo('new.person@example.com')).toEqual([{ kind: 'invitation', data }]);

  const long = `/tenants/${tenant.tenantId}${url}`;
  expect((await tenant.get(long)).json()).toEqual({ data: [invitation], nextCursor: null });
  expect((await tenant.get(`${long}/${invitation.id}`)).json()).toEqual({ invitation });
  const audit = (await tenant.get(`/audit-log?subjectId=${invitation.id}`)).json().data;
  expect(audit).toMatchObject([
    { action: 'invitation.created', actor: { id: tenant.userId }, data: { object: invitation } },
  ]);
});

test('creates one invitation and one email for a repeated Idempotency-Key', async () => {
  const [tenant, email] = [await aTenant(), anEmail()];
  const request = () => invite(tenant, email, ['viewer'], { 'idempotency-key': 'once' });
  const [first, again] = [await request(), await request()];
  expect([first.statusCode, again.statusCode, again.body]).toEqual([201, 201, first.body]);
  expect((await tenant.get(url)).json().data).toHaveLength(1);
  expect(await emailsTo(email)).toHaveLength(1);
  expect(await publishedEvents(tenant)).toEqual(['invitation.created']);
});

test('the link finds the invitation, which can be accepted once', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const { tenantId } = tenant;
  const { id, email, expiresAt } = await anInvitation(tenant, person.email.toUpperCase(), ['developer', 'agent']);
  const written = await writeToken(tenantId, id);
  expect(written).toEqual({
    token: expect.stringMatching(/^[\w-]{43}$/),
    tenantName: 'Test',
    inviterName: 'Test Person',
    email,
    roles: ['agent', 'developer'],
    expiresAt: new Date(expiresAt),
  });
  const { token = '' } = written ?? {};
  expect(await findInvitationByToken(services.db, token)).toEqual({ tenantId, invitationId: id });
  expect(await findInvitationByToken(services.db, `${token.slice(0, -1)}!`)).toBeUndefined();
  expect(await findInvitationsFor(services.db, person.email.toUpperCase())).toEqual([{ tenantId, invitationId: id }]);
  const { rows } = await sql`select token_hash from directory.invitations where invitation_id = ${id}`.execute(admin);
  expect(rows).toEqual([{ tokenHash: hash('sha256', token, 'buffer') }]);
  expect(await inside(tenantId, (ctx) => describeInvitation(ctx, id))).toEqual({
    email,
    roles: ['agent', 'developer'],
    status: 'open',
    tenantName: 'Test',
  });

  expect(await accept(tenantId, id, person.userId)).toEqual({ roles: ['agent', 'developer'] });
  expect((await person.get('/me')).json()).toMatchObject({ tenantId, roles: ['agent', 'developer'] });
  expect((await tenant.get(`/members/${person.userId}`)).json().member.email).toBe(person.email);
  expect((await tenant.get(`${url}/${id}`)).json().invitation.status).toBe('accepted');
  expect((await tenant.get(url)).json().data).toEqual([]);
  expect((await tenant.get(`${url}?status=all`)).json().data).toMatchObject([{ id, status: 'accepted' }]);
  expect(await findInvitationByToken(services.db, token)).toBeUndefined();
  expect(await findInvitationsFor(services.db, email)).toEqual([]);
  expect(await writeToken(tenantId, id)).toBeUndefined();
  await expect(accept(tenantId, id, person.userId)).rejects.toMatchObject({ reason: 'invitation_not_open' });
  expect(refusal(await revoke(tenant, id))).toEqual([409, 'invitation_not_open']);
  expect(refusal(await resend(tenant, id))).toEqual([409, 'invitation_not_open']);
  expect(await publishedEvents(tenant)).toEqual(['invitation.created', 'member.added', 'invitation.accepted']);
});

test.each(['suspended', 'deleted'])('returns 409 invitation_not_open when the tenant is %s', async (status) => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const { id } = await anInvitation(tenant, person.email);
  await admin.updateTable('tenants').set({ status }).where('tenantId', '=', tenant.tenantId).execute();
  await expect(accept(tenant.tenantId, id, person.userId)).rejects.toMatchObject({ reason: 'invitation_not_open' });
});

test('adds the roles when a member accepts', async () => {
  const tenant = await aTenant();
  const { userId } = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const { id } = await anInvitation(tenant, anEmail(), ['agent']); // sent to another email address of the same person
  expect(await accept(tenant.tenantId, id, userId)).toEqual({ roles: ['agent', 'viewer'] });
  expect(await publishedEvents(tenant)).toEqual(['invitation.created', 'member.roles_changed', 'invitation.accepted']);
});

test('resending sends a new link for seven days and invalidates the old one', async () => {
  const [tenant, email] = [await aTenant(), anEmail()];
  const { id } = await anInvitation(tenant, email);
  const first = await writeToken(tenant.tenantId, id);
  const tomorrow = new Date(Date.now() + day);
  await admin.updateTable('invitations').set({ expiresAt: tomorrow }).where('id', '=', id).execute();
  const res = await resend(tenant, id);
  expect(res.statusCode, res.body).toBe(200);
  expect(new Date(res.json().invitation.expiresAt).getTime()).toBeGreaterThan(tomorrow.getTime());
  expect(await emailsTo(email)).toHaveLength(2);
  const second = await writeToken(tenant.tenantId, id);
  expect(await findInvitationByToken(services.db, first?.token ?? '')).toBeUndefined();
  expect(await findInvitationByToken(services.db, second?.token ?? '')).toMatchObject({ invitationId: id });
  expect(await publishedEvents(tenant)).toEqual(['invitation.created', 'invitation.resent']);
});

test('a revoked invitation cannot be used, and revoking it again returns 200', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const { id } = await anInvitation(tenant, person.email);
  const { token = '' } = (await writeToken(tenant.tenantId, id)) ?? {};
  for (const _attempt of [1, 2]) expect((await revoke(tenant, id)).json().invitation.status).toBe('revoked');
  expect((await tenant.get(`${url}/${id}`)).json().invitation.status).toBe('revoked');
  expect(await findInvitationByToken(services.db, token)).toBeUndefined();
  expect(await findInvitationsFor(services.db, person.email)).toEqual([]);
  expect(await writeToken(tenant.tenantId, id)).toBeUndefined();
  await expect(accept(tenant.tenantId, id, person.userId)).rejects.toMatchObject({ reason: 'invitation_not_open' });
  expect(refusal(await resend(tenant, id))).toEqual([409, 'invitation_not_open']);
  expect(await publishedEvents(tenant)).toEqual(['invitation.created', 'invitation.revoked']);
  expect((await invite(tenant, person.email)).statusCode).toBe(201); // the email address can be invited again
});

test('returns 409 already_member, ignoring the case of the email address', async () => {
  const tenant = await aTenant();
  const { userId, email } = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  await sql`update directory.users set email = ${`X${email}`} where user_id = ${userId}`.execute(admin);
  expect(refusal(await invite(tenant, `x${email.toUpperCase()}`))).toEqual([409, 'already_member']);
  const otherTenantsMember = await aUser([{ tenantId: (await aTenant()).tenantId, roles: ['viewer'] }]);
  expect((await invite(tenant, otherTenantsMember.email)).statusCode).toBe(201);
});

test('returns 409 invitation_taken for a second invitation until the first has expired', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const { id } = await anInvitation(tenant, person.email);
  expect(refusal(await invite(tenant, person.email.toUpperCase()))).toEqual([409, 'invitation_taken']);
  const { token = '' } = (await writeToken(tenant.tenantId, id)) ?? {};
  await expire(id);
  expect((await tenant.get(`${url}/${id}`)).json().invitation.status).toBe('expired');
  expect((await tenant.get(url)).json().data).toEqual([]);
  expect(await findInvitationByToken(services.db, token)).toBeUndefined();
  expect(await writeToken(tenant.tenantId, id)).toBeUndefined();
  await expect(accept(tenant.tenantId, id, person.userId)).rejects.toMatchObject({ reason: 'invitation_not_open' });

  const next = await anInvitation(tenant, person.email);
  expect((await tenant.get(`${url}?status=all`)).json().data).toMatchObject([
    { id: next.id, status: 'open' },
    { id, status: 'revoked' },
  ]);
  expect(await publishedEvents(tenant)).toEqual(['invitation.created', 'invitation.revoked', 'invitation.created']);
});

test('returns 409 plan_limit_reached, counting open invitations but not expired ones', async () => {
  const tenant = await aTenant();
  await limitTo(2, tenant);
  const first = await anInvitation(tenant);
  expect(refusal(await invite(tenant))).toEqual([409, 'plan_limit_reached']);
  await expire(first.id);
  const second = await anInvitation(tenant);
  expect(refusal(await resend(tenant, first.id))).toEqual([409, 'plan_limit_reached']);
  expect((await resend(tenant, second.id)).statusCode).toBe(200); // already has a seat
  await revoke(tenant, second.id);
  expect((await resend(tenant, first.id)).json().invitation.status).toBe('open');
  const { userId } = await aUser([]);
  expect(await accept(tenant.tenantId, first.id, userId)).toEqual({ roles: ['viewer'] }); // uses its seat
});

test('returns 409 already_member when resending to a person who has joined in the meantime', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const [early, late] = [await anInvitation(tenant, person.email), await anInvitation(tenant)];
  await expire(early.id);
  await accept(tenant.tenantId, late.id, person.userId);
  expect(refusal(await resend(tenant, early.id))).toEqual([409, 'already_member']);
});

test('returns 403 role_too_low when an admin creates, resends or revokes an owner invitation', async () => {
  const tenant = await aTenant();
  const tenantAdmin = await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  const { id } = await anInvitation(tenant, anEmail(), ['owner']);
  for (const res of [
    await invite(tenantAdmin, anEmail(), ['admin', 'owner']),
    await resend(tenantAdmin, id),
    await revoke(tenantAdmin, id),
  ])
    expect(refusal(res)).toEqual([403, 'role_too_low']);
  expect((await invite(tenantAdmin, anEmail(), ['admin'])).statusCode).toBe(201);
});

test("returns 404 invitation_not_found for another tenant's invitation", async () => {
  const [tenant, theirs] = [await aTenant(), await aTenant()];
  const foreign = await anInvitation(theirs);
  for (const id of [foreign.id, newId('invitation')]) {
    for (const res of [await tenant.get(`${url}/${id}`), await resend(tenant, id), await revoke(tenant, id)])
      expect(refusal(res)).toEqual([404, 'invitation_not_found']);
    await expect(accept(tenant.tenantId, id, tenant.userId)).rejects.toMatchObject({ status: 404 });
    expect(await writeToken(tenant.tenantId, id)).toBeUndefined();
  }
  expect((await tenant.get(`${url}?status=all`)).json().data).toEqual([]);
});

test('returns 403 permission_missing for server keys and for members without member.manage', async () => {
  const tenant = await aTenant();
  const { id } = await anInvitation(tenant);
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  for (const client of [key, await aUser([{ tenantId: tenant.tenantId, roles: ['developer', 'agent', 'viewer'] }])])
    for (const res of [
      await client.get(url),
      await client.get(`${url}/${id}`),
      await invite(client),
      await resend(client, id),
      await revoke(client, id),
    ])
      expect(refusal(res)).toEqual([403, 'permission_missing']);
});

test.each([
  ['/email', { email: 'nobody' }],
  ['/email', { email: `${'x'.repeat(250)}@example.com` }],
  ['/roles', { roles: [] }],
  ['/roles', { roles: ['viewer', 'viewer'] }],
  ['/locale', { locale: 'fr' }],
  ['/', { expiresAt: '2099-01-01T00:00:00Z' }],
])('returns 400 with the path %s for %j', async (path, wrong) => {
  const res = await (await aTenant()).post(url, { email: anEmail(), roles: ['viewer'], ...wrong });
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json().error.details).toMatchObject([{ path }]);
});
