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

const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const reason = 'Ticket 4711: the widget stays empty';
interface ImpersonationResponse {
  accessToken: string;
  expiresIn: number;
  sessionId: string;
  tenantId: string;
  userId: string;
}
type OperatorClient = Pick<Awaited<ReturnType<typeof anOperator>>, 'post'>;
type Target = { tenantId: Id<'tenant'>; userId: string };
const requestImpersonation = async (client: OperatorClient, { tenantId, userId }: Target, headers: Headers = {}) => {
  await allowSupport({ tenantId });
  return client.post(`/admin/tenants/${tenantId}/impersonate`, { userId, reason }, headers);
};
const end = (client: OperatorClient, { sessionId }: Pick<ImpersonationResponse, 'sessionId'>) =>
  client.post(`/admin/impersonations/${sessionId}/end`);

/** An operator who impersonates the tenant's owner, or another member. */
async function impersonate(tenant: TestTenant, userId = tenant.userId, role = 'support') {
  const operator = await anOperator(role);
  const res = await requestImpersonation(operator, { tenantId: tenant.tenantId, userId });
  expect(res.statusCode, res.body).toBe(200);
  const impersonation = res.json<ImpersonationResponse>();
  return { operator, impersonation, ...as(bearer(impersonation.accessToken)) };
}
const statusOnEveryNode = async ({ accessToken }: ImpersonationResponse) =>
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
const logOf = async (client: { get(url: string): Promise<Response> }, path: string) =>
  (await client.get(path)).json<{ data: Entry[] }>().data;
const impersonationSessions = async (userId: string) =>
  (
    await sql<{ endedAt: Date | null }>`select ended_at from customer_pool.sessions where user_id = ${userId}
    and operator_id is not null`.execute(admin)
  ).rows;

test('returns an access token with an `act` claim for 15 minutes, and no refresh token', async () => {
  const tenant = await aTenant();
  const operator = await anOperator('support');
  const res = await requestImpersonation(operator, tenant);
  const { tenantId, userId } = tenant;
  expect(res.json()).toEqual({
    accessToken: expect.any(String),
    expiresIn: 900,
    sessionId: expect.stringMatching(/^ses_/),
    tenantId,
    userId,
  });
  const { accessToken, sessionId } = res.json<ImpersonationResponse>();
  const { exp = 0, iat = 0, ...claims } = decodeJwt(accessToken);
  expect(exp - iat).toBe(900);
  expect(claims).toMatchObject({ sub: userId, sid: sessionId, tenant_id: tenantId, act: { sub: operator.userId } });
  const { rows } = await sql<{ kind: string; seconds: number }>`
    select kind, extract(epoch from i.expires_at - s.created_at)::int as seconds
    from customer_pool.oidc_items i, customer_pool.sessions s
    where s.id = ${sessionId} and (i.grant_hash = s.grant_hash or i.id = s.grant_hash)`.execute(admin);
  expect(rows).toEqual([{ kind: 'Grant', seconds: 900 }]);
});

test('returns 401 after 15 minutes; ending it then returns 200 and changes nothing', async () => {
  const tenant = await aTenant();
  const { impersonation, operator } = await impersonate(tenant);
  expect(await statusOnEveryNode(impersonation)).toEqual([200, 200]);
  await sql`update customer_pool.sessions set expires_at = now() where id = ${impersonation.sessionId}`.execute(admin);
  await expect.poll(() => statusOnEveryNode(impersonation), { timeout: 10_000, interval: 200 }).toEqual([401, 401]);
  // It expired, so there is no `impersonation.ended` entry.
  expect((await end(operator, impersonation)).statusCode).toBe(200);
  expect(await logOf(tenant, '/audit-log?action=impersonation.ended')).toEqual([]);
});

test('returns 403 permission_missing for permissions that are never granted to impersonation', async () => {
  const tenant = await aTenant();
  const { get, post, patch, operator } = await impersonate(tenant);
  const never = ['tenant.delete', 'ownership.transfer', 'support_access.manage', 'session.create', 'policy.manage'];
  never.push('member.manage', 'billing.manage', 'api_key.manage', 'webhook.manage', 'integration.manage');
  const me = (await get('/me')).json<{ permissions: string[] }>();
  expect(me).toMatchObject({ userId: tenant.userId, actor: { type: 'operator', id: operator.userId } });
  expect(me.permissions.toSorted()).toEqual(
    [...rolePermissions.owner].filter((permission) => !never.includes(permission)).sort(),
  );
  for (const res of [
    await post('/api-keys', { name: 'Key', keyType: 'secret_server' }),
    await post('/invitations', { email: 'friend@example.com', roles: ['viewer'] }),
    await patch(`/members/${tenant.userId}`, { roles: ['viewer'] }),
  ])
    expect(errorOf(res)).toEqual([403, 'permission_missing']);
  expect((await get(`/tenants/${tenant.tenantId}/workspaces`)).statusCode).toBe(200);
  expect(errorOf(await get(`/tenants/${(await aTenant()).tenantId}/workspaces`))).toEqual([403, 'tenant_mismatch']);
  expect(errorOf(await get('/admin/me'))).toEqual([401, 'wrong_pool']);

  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const asViewer = await impersonate(tenant, viewer.userId, 'platform_admin');
  expect(errorOf(await asViewer.patch('/tenant', { name: 'Mine' }))).toEqual([403, 'permission_missing']);
});

test('returns 403 step_up_required or not_allowed_while_impersonating for security settings of the member', async () => {
  const { get, post } = await impersonate(await aTenant());
  for (const path of ['/mfa/totp', '/mfa/recovery-codes', '/mfa/passkeys/options'])
    expect(errorOf(await post(path)), path).toEqual([403, 'step_up_required']);
  for (const res of [
    await get('/sessions'),
    await post('/sessions/end-others'),
    await post('/auth/step-up', { password: 'correct horse battery' }),
    await post('/auth/password/change', { currentPassword: 'correct horse', newPassword: 'battery staple' }),
  ])
    expect(errorOf(res)).toEqual([403, 'not_allowed_while_impersonating']);
});

test("records operator, member, reason and changes in the tenant's audit log, but sends no webhooks", async () => {
  const tenant = await aTenant();
  const { operator, impersonation, patch } = await impersonate(tenant);
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
        sessionId: impersonation.sessionId,
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

test('records the impersonation in the audit logs of both pools', async () => {
  const tenant = await aTenant();
  const { operator, impersonation } = await impersonate(tenant);
  const auditor = await anOperator('auditor');
  const { sessionId, tenantId, userId } = impersonation;
  const entry = { action: 'impersonation.started', actor: { type: 'operator', id: operator.userId } };
  expect(await logOf(auditor, `/admin/audit-log?userId=${operator.userId}`)).toMatchObject([
    { ...entry, userId: operator.userId, data: { sessionId, tenantId, userId, reason } },
  ]);
  expect(await logOf(auditor, `/admin/audit-log?pool=customer&userId=${userId}`)).toMatchObject([
    { ...entry, userId, data: { sessionId, tenantId, reason } },
  ]);
});

test('lists the impersonation with its reason in the member’s sessions, and the member can end it', async () => {
  const tenant = await aTenant();
  const password = 'correct horse battery';
  const hash = await hashPassword('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  const { impersonation } = await impersonate(tenant);
  const signedIn = await send('POST', '/auth/login', {}, { email: tenant.email, password });
  const headers = bearer(signedIn.json<ImpersonationResponse>().accessToken);
  const sessions = (await send('GET', '/sessions', headers)).json<{ data: unknown[] }>().data;
  expect(sessions).toHaveLength(2);
  expect(sessions).toContainEqual(
    expect.objectContaining({ id: impersonation.sessionId, isOperator: true, isCurrent: false, reason }),
  );
  expect(await statusOnEveryNode(impersonation)).toEqual([200, 200]);
  expect((await send('DELETE', `/sessions/${impersonation.sessionId}`, headers)).statusCode).toBe(200);
  await expect.poll(() => statusOnEveryNode(impersonation), within).toEqual([401, 401]);
});

type AdminOperator = Awaited<ReturnType<typeof anOperator>>;
type EndCase = [
  when: string,
  act: (started: Awaited<ReturnType<typeof impersonate>>, platformAdmin: AdminOperator) => Promise<Response>,
];
const byAdmin =
  (path: string, body: Record<string, unknown>): EndCase[1] =>
  ({ operator }, platformAdmin) =>
    platformAdmin.post(`/admin/users/${operator.userId}/${path}`, { pool: 'admin', ...body });
test.each<EndCase>([
  ['the operator ends it', ({ operator, impersonation }) => end(operator, impersonation)],
  ['a platform admin ends it', ({ impersonation }, platformAdmin) => end(platformAdmin, impersonation)],
  ['the operator is disabled', byAdmin('disable', { reason: 'Left us' })],
  ["the operator's sessions are ended", byAdmin('end-sessions', {})],
  [
    'the operator loses the permission to impersonate',
    ({ operator }, platformAdmin) => platformAdmin.patch(`/admin/users/${operator.userId}`, { roles: ['auditor'] }),
  ],
  [
    'the member is disabled',
    ({ impersonation }, platformAdmin) =>
      platformAdmin.post(`/admin/users/${impersonation.userId}/disable`, { pool: 'customer', reason: 'Left us' }),
  ],
  [
    "the member's sessions are ended",
    ({ impersonation }, platformAdmin) =>
      platformAdmin.post(`/admin/users/${impersonation.userId}/end-sessions`, { pool: 'customer' }),
  ],
])('returns 401 within five seconds on every node when %s', async (when, act) => {
  const [tenant, platformAdmin] = [await aTenant(), await anOperator()];
  const other = await impersonate(tenant);
  const started = await impersonate(tenant);
  expect([
    ...(await statusOnEveryNode(started.impersonation)),
    ...(await statusOnEveryNode(other.impersonation)),
  ]).toEqual([200, 200, 200, 200]);
  const res = await act(started, platformAdmin);
  expect(res.statusCode, res.body).toBe(200);
  await expect.poll(() => statusOnEveryNode(started.impersonation), within).toEqual([401, 401]);
  // Another operator's impersonation of the same member continues, unless the member was affected.
  const isAboutMember = when.includes('member');
  expect(await statusOnEveryNode(other.impersonation)).toEqual(isAboutMember ? [401, 401] : [200, 200]);
});

test('returns 401 within five seconds on every node when the member is removed', async () => {
  const tenant = await aTenant();
  const member = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const { impersonation } = await impersonate(tenant, member.userId);
  expect(await statusOnEveryNode(impersonation)).toEqual([200, 200]);
  expect((await send('DELETE', `/members/${member.userId}`, tenant.headers)).statusCode).toBe(200);
  await expect.poll(() => statusOnEveryNode(impersonation), within).toEqual([401, 401]);
});

test('ending twice returns 200 and records one entry; returns 403 to another operator and 404 for other sessions', async () => {
  const tenant = await aTenant();
  const { operator, impersonation } = await impersonate(tenant);
  const [other, platformAdmin] = [await anOperator('support'), await anOperator()];
  expect(errorOf(await end(other, impersonation))).toEqual([403, 'not_your_impersonation']);
  for (let i = 0; i < 2; i++) expect((await end(platformAdmin, impersonation)).json()).toEqual({ status: 'done' });
  const { sessionId, userId } = impersonation;
  expect(await logOf(tenant, '/audit-log?action=impersonation.ended')).toMatchObject([
    {
      actor: { type: 'operator', id: platformAdmin.userId },
      subjectId: userId,
      data: { object: { sessionId, userId, operatorId: operator.userId } },
    },
  ]);
  expect(
    await logOf(platformAdmin, `/admin/audit-log?pool=customer&userId=${userId}&action=impersonation.ended`),
  ).toHaveLength(1);

  await sql`update customer_pool.sessions set operator_id = null where id = ${sessionId}`.execute(admin);
  for (const id of [sessionId, newId('session')])
    expect(errorOf(await end(platformAdmin, { sessionId: id }))).toEqual([404, 'impersonation_not_found']);
});

test('returns 404 member_not_found or tenant_not_found unless the user is a member of the tenant', async () => {
  const [tenant, other, operator] = [await aTenant(), await aTenant(), await anOperator('support')];
  const { tenantId } = tenant;
  for (const userId of [other.userId, operator.userId, newId('user')])
    expect(errorOf(await requestImpersonation(operator, { tenantId, userId }))).toEqual([404, 'member_not_found']);
  const unknownTenant = { tenantId: newId('tenant'), userId: tenant.userId };
  expect(errorOf(await requestImpersonation(operator, unknownTenant))).toEqual([404, 'tenant_not_found']);
  expect(await impersonationSessions(other.userId)).toEqual([]);
});

test('returns 403 for a suspended or deleted tenant, and 409 for a disabled member', async () => {
  const [tenant, closed] = [await aTenant(), await aTenant()];
  const [support, platformAdmin] = [await anOperator('support'), await anOperator()];
  await platformAdmin.post(`/admin/tenants/${closed.tenantId}/suspend`, { reason: 'For the test' });
  expect(errorOf(await requestImpersonation(support, closed))).toEqual([403, 'tenant_suspended']);
  await admin.updateTable('tenants').set({ status: 'deleted' }).where('tenantId', '=', closed.tenantId).execute();
  expect(errorOf(await requestImpersonation(support, closed))).toEqual([403, 'tenant_deleted']);
  await platformAdmin.post(`/admin/users/${tenant.userId}/disable`, { pool: 'customer', reason: 'For the test' });
  expect(errorOf(await requestImpersonation(support, tenant))).toEqual([409, 'member_disabled']);
  expect(await impersonationSessions(tenant.userId)).toEqual([]);
});

test.each(['', '  no  ', 'x'.repeat(501)])('returns 400 for an invalid reason: %j', async (invalidReason) => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const body = { userId: tenant.userId, reason: invalidReason };
  const res = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, body);
  expect(res.json()).toMatchObject({ error: { details: [{ path: '/reason' }] } });
});

test('returns 403 permission_missing while a revoked role is still cached', async () => {
  const [tenant, demoted] = [await aTenant(), await anOperator('support')];
  for (const change of [sql`platform_roles = '{auditor}'`, sql`disabled_at = now()`]) {
    expect((await demoted.get('/admin/me')).json()).toMatchObject({ roles: ['support'] });
    await sql`update directory.users set ${change} where user_id = ${demoted.userId}`.execute(admin);
    expect(errorOf(await requestImpersonation(demoted, tenant))).toEqual([403, 'permission_missing']);
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${demoted.userId}`.execute(admin);
  }
  expect(await impersonationSessions(tenant.userId)).toEqual([]);
});

test('creates no session if an audit entry cannot be written', async () => {
  const tenant = await aTenant();
  const started = async () =>
    (await sql`select from customer_pool.audit_entries where user_id = ${tenant.userId}`.execute(admin)).rows.length +
    (await logOf(tenant, '/audit-log?action=impersonation.started')).length +
    (await impersonationSessions(tenant.userId)).length;
  for (const table of ['admin_pool.audit_entries', 'customer_pool.audit_entries', 'audit_entries']) {
    const operator = await anOperator('support');
    const refuse = sql`alter table ${sql.raw(table)} add constraint no_room check (actor_id <> ${sql.lit(operator.userId)})`;
    await refuse.execute(admin);
    expect((await requestImpersonation(operator, tenant)).statusCode, table).toBe(500);
    await sql`alter table ${sql.raw(table)} drop constraint no_room`.execute(admin);
    expect(await started(), table).toBe(0);
  }
});

test('does not store the token, not even for a repeated request with the same idempotency key', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const key = { 'idempotency-key': 'again' };
  const [first, again] = [
    await requestImpersonation(operator, tenant, key),
    await requestImpersonation(operator, tenant, key),
  ];
  expect([first.statusCode, ...errorOf(again)]).toEqual([200, 409, 'secret_already_shown']);
  const stored = admin.selectFrom('idempotencyKeys').select('body').where('tenantId', '=', tenant.tenantId);
  expect(await stored.execute()).toEqual([{ body: null }]);
});
