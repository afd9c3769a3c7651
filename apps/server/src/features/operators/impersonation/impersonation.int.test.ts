import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import {
  admin,
  allowSupport,
  anOperator,
  api,
  as,
  aTenant,
  aUser,
  services,
  openApi,
  send,
  type Headers,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { inPool } from '../../../platform/pool.ts';
import { setPassword } from '../../accounts/accounts.store.ts';
import { hashPassword } from '../../accounts/password/passwords.ts';
import { rolePermissions } from '../../users/roles.ts';

const second = await openApi();
afterAll(second.close);

const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const reason = 'Ticket 4711: the widget stays empty';
interface Lent {
  accessToken: string;
  expiresIn: number;
  sessionId: string;
  tenantId: string;
  userId: string;
}
type Who = Pick<Awaited<ReturnType<typeof anOperator>>, 'post'>;
type Place = { tenantId: Id<'tenant'>; userId: string };
const ask = async (who: Who, { tenantId, userId }: Place, headers: Headers = {}) => {
  await allowSupport({ tenantId });
  return who.post(`/admin/tenants/${tenantId}/impersonate`, { userId, reason }, headers);
};
const end = (who: Who, { sessionId }: Pick<Lent, 'sessionId'>) => who.post(`/admin/impersonations/${sessionId}/end`);

/** Support in the place of the tenant's owner, or of somebody else there. */
async function lend(tenant: TestTenant, userId = tenant.userId, role = 'support') {
  const operator = await anOperator(role);
  const res = await ask(operator, { tenantId: tenant.tenantId, userId });
  expect(res.statusCode, res.body).toBe(200);
  const lent = res.json<Lent>();
  return { operator, lent, ...as(bearer(lent.accessToken)) };
}
const everywhere = async ({ accessToken }: Lent) =>
  Promise.all([api.app, second.app].map((app) => send('GET', '/workspaces', bearer(accessToken), undefined, app))).then(
    (responses) => responses.map(({ statusCode }) => statusCode),
  );
const within = { timeout: 5_000, interval: 100 };

interface Entry {
  action: string;
  subjectId: string;
  userId: string;
  actor: unknown;
  data: unknown;
}
const logOf = async (who: { get(url: string): Promise<Response> }, path: string) =>
  (await who.get(path)).json<{ data: Entry[] }>().data;
const lentSessions = async (userId: string) =>
  (
    await sql<{ endedAt: Date | null }>`select ended_at from customer_pool.sessions where user_id = ${userId}
    and operator_id is not null`.execute(admin)
  ).rows;

test('200: an access token for fifteen minutes that carries `act`, and nothing to renew it with', async () => {
  const tenant = await aTenant();
  const operator = await anOperator('support');
  const res = await ask(operator, tenant);
  const { tenantId, userId } = tenant;
  expect(res.json()).toEqual({
    accessToken: expect.any(String),
    expiresIn: 900,
    sessionId: expect.stringMatching(/^ses_/),
    tenantId,
    userId,
  });
  const { accessToken, sessionId } = res.json<Lent>();
  const { exp = 0, iat = 0, ...claims } = decodeJwt(accessToken);
  expect(exp - iat).toBe(900);
  expect(claims).toMatchObject({ sub: userId, sid: sessionId, tenant_id: tenantId, act: { sub: operator.userId } });
  const { rows } = await sql<{ kind: string; seconds: number }>`
    select kind, extract(epoch from i.expires_at - s.created_at)::int as seconds
    from customer_pool.oidc_items i, customer_pool.sessions s
    where s.id = ${sessionId} and (i.grant_hash = s.grant_hash or i.id = s.grant_hash)`.execute(admin);
  expect(rows).toEqual([{ kind: 'Grant', seconds: 900 }]);
});

test('401 after its fifteen minutes; ending it then is no error and changes nothing', async () => {
  const tenant = await aTenant();
  const { lent, operator } = await lend(tenant);
  expect(await everywhere(lent)).toEqual([200, 200]);
  await sql`update customer_pool.sessions set expires_at = now() where id = ${lent.sessionId}`.execute(admin);
  await expect.poll(() => everywhere(lent), { timeout: 10_000, interval: 200 }).toEqual([401, 401]);
  // Over by itself: nobody ended it.
  expect((await end(operator, lent)).statusCode).toBe(200);
  expect(await logOf(tenant, '/audit-log?action=impersonation.ended')).toEqual([]);
});

test('403 permission_missing: what the member may do, without what support never does in their place', async () => {
  const tenant = await aTenant();
  const { get, post, patch, operator } = await lend(tenant);
  const never = ['tenant.delete', 'ownership.transfer', 'support_access.manage', 'session.create', 'policy.manage'];
  never.push('member.manage', 'billing.manage', 'api_key.manage', 'webhook.manage', 'integration.manage');
  const me = (await get('/me')).json<{ permissions: string[] }>();
  expect(me).toMatchObject({ userId: tenant.userId, actor: { type: 'operator', id: operator.userId } });
  expect(me.permissions.toSorted()).toEqual([...rolePermissions.owner].filter((held) => !never.includes(held)).sort());
  for (const res of [
    await post('/api-keys', { name: 'Key', keyType: 'secret_server' }),
    await post('/invitations', { email: 'friend@example.com', roles: ['viewer'] }),
    await patch(`/members/${tenant.userId}`, { roles: ['viewer'] }),
  ])
    expect(refusal(res)).toEqual([403, 'permission_missing']);
  expect((await get(`/tenants/${tenant.tenantId}/workspaces`)).statusCode).toBe(200);
  expect(refusal(await get(`/tenants/${(await aTenant()).tenantId}/workspaces`))).toEqual([403, 'tenant_mismatch']);
  expect(refusal(await get('/admin/me'))).toEqual([401, 'wrong_pool']);

  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const asViewer = await lend(tenant, viewer.userId, 'platform_admin');
  expect(refusal(await asViewer.patch('/tenant', { name: 'Mine' }))).toEqual([403, 'permission_missing']);
});

test('403 step_up_required, 403 not_allowed_while_impersonating: not what is dangerous, and nothing of the person themselves', async () => {
  const { get, post } = await lend(await aTenant());
  for (const path of ['/mfa/totp', '/mfa/recovery-codes', '/mfa/passkeys/options'])
    expect(refusal(await post(path)), path).toEqual([403, 'step_up_required']);
  for (const res of [
    await get('/sessions'),
    await post('/sessions/end-others'),
    await post('/auth/step-up', { password: 'correct horse battery' }),
    await post('/auth/password/change', { currentPassword: 'correct horse', newPassword: 'battery staple' }),
  ])
    expect(refusal(res)).toEqual([403, 'not_allowed_while_impersonating']);
});

test("the tenant's audit log says who was there, in whose place and why, and who did what; webhooks are not told", async () => {
  const tenant = await aTenant();
  const { operator, lent, patch } = await lend(tenant);
  expect((await patch('/tenant', { name: 'Renamed' })).statusCode).toBe(200);
  const actor = { type: 'operator', id: operator.userId };
  const [renamed, started] = await logOf(tenant, '/audit-log?limit=2');
  expect(renamed).toMatchObject({ action: 'tenant.updated', actor });
  expect(started).toMatchObject({
    action: 'impersonation.started',
    subjectId: tenant.userId,
    actor,
    requestId: expect.stringMatching(/^req_/),
    data: {
      object: {
        sessionId: lent.sessionId,
        userId: tenant.userId,
        reason,
        operator: { id: operator.userId, email: `${operator.userId}@parley.example`, name: 'Operator' },
        expiresAt: expect.any(String),
      },
    },
  });
  const events = admin.selectFrom('events').select('isPublic').where('type', '=', 'impersonation.started');
  expect(await events.where('tenantId', '=', tenant.tenantId).execute()).toEqual([{ isPublic: false }]);
});

test('the audit logs of both pools have it: about the operator in one, about the member in the other', async () => {
  const tenant = await aTenant();
  const { operator, lent } = await lend(tenant);
  const auditor = await anOperator('auditor');
  const { sessionId, tenantId, userId } = lent;
  const entry = { action: 'impersonation.started', actor: { type: 'operator', id: operator.userId } };
  expect(await logOf(auditor, `/admin/audit-log?userId=${operator.userId}`)).toMatchObject([
    { ...entry, userId: operator.userId, data: { sessionId, tenantId, userId, reason } },
  ]);
  expect(await logOf(auditor, `/admin/audit-log?pool=customer&userId=${userId}`)).toMatchObject([
    { ...entry, userId, data: { sessionId, tenantId, reason } },
  ]);
});

test('200: the member sees it among their sessions, with its reason, and may end it', async () => {
  const tenant = await aTenant();
  const password = 'correct horse battery';
  const hash = await hashPassword('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  const { lent } = await lend(tenant);
  const signedIn = await send('POST', '/auth/login', {}, { email: tenant.email, password });
  const headers = bearer(signedIn.json<Lent>().accessToken);
  const sessions = (await send('GET', '/sessions', headers)).json<{ data: unknown[] }>().data;
  expect(sessions).toHaveLength(2);
  expect(sessions).toContainEqual(
    expect.objectContaining({ id: lent.sessionId, isOperator: true, isCurrent: false, reason }),
  );
  expect(await everywhere(lent)).toEqual([200, 200]);
  expect((await send('DELETE', `/sessions/${lent.sessionId}`, headers)).statusCode).toBe(200);
  await expect.poll(() => everywhere(lent), within).toEqual([401, 401]);
});

type Boss = Awaited<ReturnType<typeof anOperator>>;
type Ending = [when: string, act: (made: Awaited<ReturnType<typeof lend>>, boss: Boss) => Promise<Response>];
const byAdmin =
  (path: string, body: Record<string, unknown>): Ending[1] =>
  ({ operator }, boss) =>
    boss.post(`/admin/users/${operator.userId}/${path}`, { pool: 'admin', ...body });
test.each<Ending>([
  ['its operator ends it', ({ operator, lent }) => end(operator, lent)],
  ['an admin ends it', ({ lent }, boss) => end(boss, lent)],
  ['its operator is disabled', byAdmin('disable', { reason: 'Left us' })],
  ["its operator's sessions are ended", byAdmin('end-sessions', {})],
  [
    'its operator may impersonate no more',
    ({ operator }, boss) => boss.patch(`/admin/users/${operator.userId}`, { roles: ['auditor'] }),
  ],
  [
    'the member is disabled',
    ({ lent }, boss) => boss.post(`/admin/users/${lent.userId}/disable`, { pool: 'customer', reason: 'Left us' }),
  ],
  [
    "the member's sessions are ended",
    ({ lent }, boss) => boss.post(`/admin/users/${lent.userId}/end-sessions`, { pool: 'customer' }),
  ],
])('401 within five seconds on every node when %s', async (when, act) => {
  const [tenant, boss] = [await aTenant(), await anOperator()];
  const other = await lend(tenant);
  const made = await lend(tenant);
  expect([...(await everywhere(made.lent)), ...(await everywhere(other.lent))]).toEqual([200, 200, 200, 200]);
  const res = await act(made, boss);
  expect(res.statusCode, res.body).toBe(200);
  await expect.poll(() => everywhere(made.lent), within).toEqual([401, 401]);
  // Somebody else in the same place stays, unless it was about the person.
  const isAboutMember = when.includes('member');
  expect(await everywhere(other.lent)).toEqual(isAboutMember ? [401, 401] : [200, 200]);
});

test('401 within five seconds on every node when the member is removed', async () => {
  const tenant = await aTenant();
  const member = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const { lent } = await lend(tenant, member.userId);
  expect(await everywhere(lent)).toEqual([200, 200]);
  expect((await send('DELETE', `/members/${member.userId}`, tenant.headers)).statusCode).toBe(200);
  await expect.poll(() => everywhere(lent), within).toEqual([401, 401]);
});

test('200: ending it twice is no error and told once; 403 to another support; 404 for a session that is none', async () => {
  const tenant = await aTenant();
  const { operator, lent } = await lend(tenant);
  const [other, boss] = [await anOperator('support'), await anOperator()];
  expect(refusal(await end(other, lent))).toEqual([403, 'not_your_impersonation']);
  for (let i = 0; i < 2; i++) expect((await end(boss, lent)).json()).toEqual({ status: 'done' });
  const { sessionId, userId } = lent;
  expect(await logOf(tenant, '/audit-log?action=impersonation.ended')).toMatchObject([
    {
      actor: { type: 'operator', id: boss.userId },
      subjectId: userId,
      data: { object: { sessionId, userId, operatorId: operator.userId } },
    },
  ]);
  expect(await logOf(boss, `/admin/audit-log?pool=customer&userId=${userId}&action=impersonation.ended`)).toHaveLength(
    1,
  );

  await sql`update customer_pool.sessions set operator_id = null where id = ${sessionId}`.execute(admin);
  for (const id of [sessionId, newId('session')])
    expect(refusal(await end(boss, { sessionId: id }))).toEqual([404, 'impersonation_not_found']);
});

test('404 member_not_found, 404 tenant_not_found: only a member, and only of that tenant', async () => {
  const [tenant, theirs, operator] = [await aTenant(), await aTenant(), await anOperator('support')];
  const { tenantId } = tenant;
  for (const userId of [theirs.userId, operator.userId, newId('user')])
    expect(refusal(await ask(operator, { tenantId, userId }))).toEqual([404, 'member_not_found']);
  const nowhere = { tenantId: newId('tenant'), userId: tenant.userId };
  expect(refusal(await ask(operator, nowhere))).toEqual([404, 'tenant_not_found']);
  expect(await lentSessions(theirs.userId)).toEqual([]);
});

test('403 tenant_suspended, 403 tenant_deleted, 409 member_disabled: nobody is let in where the member would not be', async () => {
  const [tenant, closed] = [await aTenant(), await aTenant()];
  const [support, boss] = [await anOperator('support'), await anOperator()];
  await boss.post(`/admin/tenants/${closed.tenantId}/suspend`, { reason: 'For the test' });
  expect(refusal(await ask(support, closed))).toEqual([403, 'tenant_suspended']);
  await admin.updateTable('tenants').set({ status: 'deleted' }).where('tenantId', '=', closed.tenantId).execute();
  expect(refusal(await ask(support, closed))).toEqual([403, 'tenant_deleted']);
  await boss.post(`/admin/users/${tenant.userId}/disable`, { pool: 'customer', reason: 'For the test' });
  expect(refusal(await ask(support, tenant))).toEqual([409, 'member_disabled']);
  expect(await lentSessions(tenant.userId)).toEqual([]);
});

test.each(['', '  no  ', 'x'.repeat(501)])('400: not without a reason: %j', async (given) => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const body = { userId: tenant.userId, reason: given };
  const res = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, body);
  expect(res.json()).toMatchObject({ error: { details: [{ path: '/reason' }] } });
});

test('403 permission_missing: in the seconds in which a lost role is still remembered, it gives no token', async () => {
  const [tenant, fallen] = [await aTenant(), await anOperator('support')];
  for (const change of [sql`platform_roles = '{auditor}'`, sql`disabled_at = now()`]) {
    expect((await fallen.get('/admin/me')).json()).toMatchObject({ roles: ['support'] });
    await sql`update directory.users set ${change} where user_id = ${fallen.userId}`.execute(admin);
    expect(refusal(await ask(fallen, tenant))).toEqual([403, 'permission_missing']);
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${fallen.userId}`.execute(admin);
  }
  expect(await lentSessions(tenant.userId)).toEqual([]);
});

test('all of it or nothing: without its entry in every log there is no session', async () => {
  const tenant = await aTenant();
  const started = async () =>
    (await sql`select from customer_pool.audit_entries where user_id = ${tenant.userId}`.execute(admin)).rows.length +
    (await logOf(tenant, '/audit-log?action=impersonation.started')).length +
    (await lentSessions(tenant.userId)).length;
  for (const table of ['admin_pool.audit_entries', 'customer_pool.audit_entries', 'audit_entries']) {
    const operator = await anOperator('support');
    const refuse = sql`alter table ${sql.raw(table)} add constraint no_room check (actor_id <> ${sql.lit(operator.userId)})`;
    await refuse.execute(admin);
    expect((await ask(operator, tenant)).statusCode, table).toBe(500);
    await sql`alter table ${sql.raw(table)} drop constraint no_room`.execute(admin);
    expect(await started(), table).toBe(0);
  }
});

test('a token is kept nowhere, also not for a repeat of the request', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const key = { 'idempotency-key': 'again' };
  const [first, again] = [await ask(operator, tenant, key), await ask(operator, tenant, key)];
  expect([first.statusCode, ...refusal(again)]).toEqual([200, 409, 'secret_already_shown']);
  const kept = admin.selectFrom('idempotencyKeys').select('body').where('tenantId', '=', tenant.tenantId);
  expect(await kept.execute()).toEqual([{ body: null }]);
});
