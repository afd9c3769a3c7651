import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, anOperator, as, aTenant, aUser, services, openApi, type Response } from '../../../test/harness.ts';
import { inPool } from '../../platform/pool.ts';
import { newId } from '../../platform/ids.ts';
import { setPassword } from '../accounts/accounts.store.ts';
import { accountEmails } from '../accounts/emails.ts';
import { platformRolePermissions } from '../users/roles.ts';
import { PlatformRole, type Person, type PoolAuditEntry } from './operators.contract.ts';
import { mayImpersonate } from './operators.service.ts';

const url = '/admin/users';
let count = 0;
const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const userOf = (res: Response) => res.json<{ user: Person }>().user;

const newOperator = (more: Record<string, unknown> = {}) => ({
  email: `Person${count++}@Parley.example`,
  name: 'Ada',
  roles: ['support', 'auditor'],
  ...more,
});
const emailsTo = async (email: string) =>
  (
    await sql<{ id: string; kind: string; recipient: string; data: Record<string, unknown>; attempts: number }>`
      select * from directory.emails where lower(recipient) = lower(${email})`.execute(admin)
  ).rows;
/** Audit entries by operators about a user. */
async function entriesAbout(userId: string) {
  const auditor = await anOperator('auditor');
  const { data } = (await auditor.get(`/admin/audit-log?userId=${userId}`)).json<{
    data: PoolAuditEntry[];
  }>();
  return data.filter(({ actor }) => actor.type === 'operator');
}
const actionsAbout = async (userId: string) => (await entriesAbout(userId)).map(({ action }) => action);

test('GET /admin/me returns the operator’s profile and permissions', async () => {
  const support = await anOperator('support');
  expect((await support.get('/admin/me')).json()).toEqual({
    userId: support.userId,
    email: `${support.userId}@parley.example`,
    name: 'Operator',
    roles: ['support'],
    permissions: [...platformRolePermissions.support],
    mfaEnabled: null,
  });
  expect(errorOf(await (await aTenant()).get('/admin/me'))).toEqual([401, 'wrong_pool']);
});

test('assignable roles match the permission matrix', () => {
  expect(PlatformRole.options).toEqual(Object.keys(platformRolePermissions));
  for (const [role, permissions] of Object.entries(platformRolePermissions)) {
    expect(permissions.has('platform.user.manage'), role).toBe(role === 'platform_admin');
    expect(permissions.has('platform.impersonate.request'), role).toBe(mayImpersonate([role]));
  }
});

test('lists users of one pool, newest first, in pages without gaps or duplicates', async () => {
  const operator = await anOperator('auditor');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await aUser([])).userId);
  const listed: string[] = [];
  for (let cursor = ''; listed.length < ids.length;) {
    const page = (await operator.get(`${url}?limit=2${cursor && `&cursor=${cursor}`}`)).json<{
      data: Person[];
      nextCursor: string;
    }>();
    expect(page.data.map(({ pool }) => pool)).toEqual(['customer', 'customer']);
    listed.push(...page.data.map(({ userId }) => userId));
    cursor = page.nextCursor;
  }
  expect(listed.slice(0, 5)).toEqual(ids);
  const { data } = (await operator.get(`${url}?pool=admin&limit=1`)).json<{ data: Person[] }>();
  expect(data[0]).toMatchObject({ userId: operator.userId, pool: 'admin', roles: ['auditor'] });
});

test('finds a user by full email address, case-insensitively, but not by a part of it', async () => {
  const [operator, person] = [await anOperator('support'), await aUser([])];
  const ids = async (email: string, pool = 'customer') =>
    (await operator.get(`${url}?pool=${pool}&email=${encodeURIComponent(email)}`))
      .json<{ data: Person[] }>()
      .data.map(({ userId }) => userId);
  expect(await ids(person.email.toUpperCase())).toEqual([person.userId]);
  expect(await ids(person.email.slice(1))).toEqual([]);
  expect(await ids(person.email, 'admin')).toEqual([]);
});

test('returns a customer with their tenants and MFA status', async () => {
  const [operator, tenant] = [await anOperator('support'), await aTenant()];
  await inPool(services.db, 'customer', async (tx) => {
    await setPassword(tx, tenant.userId, 'none');
    await tx
      .insertInto('totp')
      .values({ userId: tenant.userId, encrypted: Buffer.from('x') })
      .execute();
  });
  const expected = {
    userId: tenant.userId,
    pool: 'customer',
    email: tenant.email,
    name: 'Test Person',
    roles: [],
    isDisabled: false,
    mfaEnabled: false,
    createdAt: expect.any(String),
    tenantIds: [tenant.tenantId],
  };
  expect(userOf(await operator.get(`${url}/${tenant.userId}`))).toEqual(expected);
  await sql`update customer_pool.totp set confirmed_at = now() where user_id = ${tenant.userId}`.execute(admin);
  expect(userOf(await operator.get(`${url}/${tenant.userId}`))).toEqual({ ...expected, mfaEnabled: true });
});

test('returns 404 user_not_found for users of the other pool', async () => {
  const [platformAdmin, customer, other] = [await anOperator(), await aUser([]), await anOperator('support')];
  const reason = 'For the test';
  for (const [userId, pool] of [
    [customer.userId, 'admin'],
    [other.userId, 'customer'],
    [newId('user'), 'admin'],
    [newId('user'), 'customer'],
  ] as const) {
    for (const res of [
      await platformAdmin.get(`${url}/${userId}?pool=${pool}`),
      await platformAdmin.post(`${url}/${userId}/disable`, { pool, reason }),
      await platformAdmin.post(`${url}/${userId}/enable`, { pool }),
      await platformAdmin.post(`${url}/${userId}/end-sessions`, { pool }),
    ])
      expect(errorOf(res), `${res.raw.req.url} ${pool}`).toEqual([404, 'user_not_found']);
  }
  for (const res of [
    await platformAdmin.patch(`${url}/${customer.userId}`, { roles: ['support'] }),
    await platformAdmin.post(`${url}/${customer.userId}/resend-welcome`),
  ])
    expect(errorOf(res)).toEqual([404, 'user_not_found']);
  const { rows } = await sql`select from directory.users where user_id in (${customer.userId}, ${other.userId})
    and (disabled_at is not null or tokens_valid_after > 'epoch')`.execute(admin);
  expect(rows).toEqual([]);
});

test('creates an operator without a password, sends one email with a link, and audits it', async () => {
  const platformAdmin = await anOperator();
  const input = newOperator({ locale: 'de' });
  const res = await platformAdmin.post(url, input);
  expect(res.statusCode, res.body).toBe(201);
  const user = userOf(res);
  expect(user).toMatchObject({ pool: 'admin', email: input.email.toLowerCase(), roles: ['auditor', 'support'] });

  const emails = await emailsTo(input.email);
  expect(emails).toMatchObject([{ kind: 'welcome', data: { pool: 'admin', userId: user.userId, locale: 'de' } }]);
  const writers = accountEmails(services, { PUBLIC_URL: 'https://parley.example' });
  for (const email of emails)
    expect((await writers['welcome']?.(email))?.text).toMatch('https://parley.example/pools/admin/reset?token=');

  expect(await entriesAbout(user.userId)).toMatchObject([
    {
      action: 'operator.created',
      userId: user.userId,
      actor: { type: 'operator', id: platformAdmin.userId },
      ip: '127.0.0.1',
      requestId: res.headers['x-request-id'],
      data: { roles: ['auditor', 'support'] },
    },
  ]);
  const account = await sql`select password_hash from admin_pool.accounts where user_id = ${user.userId}`.execute(
    admin,
  );
  expect(account.rows).toEqual([{ passwordHash: null }]);
});

test('returns 409 email_taken case-insensitively, but allows the email address of a customer', async () => {
  const platformAdmin = await anOperator();
  const customer = await aUser([]);
  const input = newOperator({ email: customer.email });
  expect((await platformAdmin.post(url, input)).statusCode).toBe(201);
  expect(errorOf(await platformAdmin.post(url, { ...input, email: customer.email.toUpperCase() }))).toEqual([
    409,
    'email_taken',
  ]);
  expect(await emailsTo(customer.email)).toHaveLength(1);
});

test('resends the welcome email; returns 409 once a password is set or while the account is disabled', async () => {
  const platformAdmin = await anOperator();
  const { userId, email } = userOf(await platformAdmin.post(url, newOperator()));
  const resend = () => platformAdmin.post(`${url}/${userId}/resend-welcome`);
  expect((await resend()).statusCode).toBe(200);
  expect(await emailsTo(email)).toHaveLength(2);
  await platformAdmin.post(`${url}/${userId}/disable`, { pool: 'admin', reason: 'For the test' });
  expect(errorOf(await resend())).toEqual([409, 'account_disabled']);
  await platformAdmin.post(`${url}/${userId}/enable`, { pool: 'admin' });
  await inPool(services.db, 'admin', (tx) => setPassword(tx, userId, 'chosen'));
  expect(errorOf(await resend())).toEqual([409, 'password_already_set']);
  expect(await emailsTo(email)).toHaveLength(2);
  expect(await actionsAbout(userId)).toEqual([
    'user.enabled',
    'user.disabled',
    'operator.welcome_resent',
    'operator.created',
  ]);
});

test('returns 403 step_up_required for creating operators and changing roles without a recent sign-in', async () => {
  const stale = await anOperator('platform_admin', { auth_time: Math.floor(Date.now() / 1_000) - 301 });
  const other = await anOperator('support');
  for (const res of [
    await stale.post(url, newOperator()),
    await stale.patch(`${url}/${other.userId}`, { roles: ['platform_admin'] }),
  ])
    expect(errorOf(res)).toEqual([403, 'step_up_required']);
});

test('returns 409 cannot_disable_self when operators disable themselves', async () => {
  const platformAdmin = await anOperator();
  await anOperator();
  const res = await platformAdmin.post(`${url}/${platformAdmin.userId}/disable`, { pool: 'admin', reason: 'Enough' });
  expect(errorOf(res)).toEqual([409, 'cannot_disable_self']);
});

test('returns 403 permission_missing: support can view and impersonate, auditors can only view', async () => {
  const [support, auditor, person] = [await anOperator('support'), await anOperator('auditor'), await aTenant()];
  for (const client of [support, auditor]) {
    expect((await client.get(url)).statusCode).toBe(200);
    expect((await client.get(`${url}/${person.userId}`)).statusCode).toBe(200);
    for (const res of [
      await client.post(url, newOperator()),
      await client.patch(`${url}/${client.userId}`, { roles: ['platform_admin'] }),
      await client.post(`${url}/${person.userId}/resend-welcome`),
      await client.post(`${url}/${person.userId}/disable`, { pool: 'customer', reason: 'For the test' }),
      await client.post(`${url}/${person.userId}/enable`, { pool: 'customer' }),
      await client.post(`${url}/${person.userId}/end-sessions`, { pool: 'customer' }),
    ])
      expect(errorOf(res), res.raw.req.url).toEqual([403, 'permission_missing']);
  }
  expect(errorOf(await support.get('/admin/audit-log'))).toEqual([403, 'permission_missing']);
  expect((await auditor.get('/admin/audit-log')).statusCode).toBe(200);
  for (const path of [`/admin/tenants/${person.tenantId}/impersonate`, `/admin/impersonations/${newId('session')}/end`])
    expect(errorOf(await auditor.post(path, path.endsWith('end') ? undefined : {}))).toEqual([
      403,
      'permission_missing',
    ]);
});

test('returns 403 permission_missing for changes while a revoked role is still cached', async () => {
  const [demoted, other, customer] = [await anOperator(), await anOperator('support'), await aUser([])];
  await sql`update directory.users set disabled_at = now() where user_id = ${customer.userId}`.execute(admin);
  const input = newOperator();
  for (const act of [
    () => demoted.post(url, input),
    () => demoted.patch(`${url}/${other.userId}`, { roles: ['platform_admin'] }),
    () => demoted.post(`${url}/${other.userId}/resend-welcome`),
    () => demoted.post(`${url}/${other.userId}/disable`, { pool: 'admin', reason: 'For the test' }),
    () => demoted.post(`${url}/${customer.userId}/enable`, { pool: 'customer' }),
    () => demoted.post(`${url}/${other.userId}/end-sessions`, { pool: 'admin' }),
  ]) {
    // Simulates a change on another node whose signal is lost: the role is cached here, then revoked.
    await sql`update directory.users set platform_roles = '{platform_admin}' where user_id = ${demoted.userId}`.execute(
      admin,
    );
    await expect
      .poll(async () => (await demoted.get('/admin/me')).json<{ roles: string[] }>().roles, { timeout: 10_000 })
      .toEqual(['platform_admin']);
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${demoted.userId}`.execute(admin);
    const res = await act();
    expect(errorOf(res), res.raw.req.url).toEqual([403, 'permission_missing']);
  }
  expect(await emailsTo(input.email)).toEqual([]);
  expect(await actionsAbout(other.userId)).toEqual([]);
});

test('filters a pool’s audit log by action, user and time, in pages', async () => {
  const [platformAdmin, auditor] = [await anOperator(), await anOperator('auditor')];
  const created: string[] = [];
  for (let i = 0; i < 3; i++) created.unshift(userOf(await platformAdmin.post(url, newOperator())).userId);
  const getEntries = async (query: string) =>
    (await auditor.get(`/admin/audit-log?${query}`)).json<{ data: PoolAuditEntry[]; nextCursor: string | null }>();
  const first = await getEntries('action=operator.created&limit=2');
  const next = await getEntries(`action=operator.created&limit=2&cursor=${first.nextCursor}`);
  expect([...first.data, ...next.data].slice(0, 3).map(({ userId }) => userId)).toEqual(created);

  const entry = first.data[1];
  const at = new Date(entry?.createdAt ?? 0).getTime();
  const time = (ms: number) => new Date(at + ms).toISOString();
  const countEntries = async (query: string) => (await getEntries(`userId=${created[1]}&${query}`)).data.length;
  expect(await countEntries(`since=${time(-2_000)}&until=${time(2_000)}`)).toBe(1);
  expect(await countEntries(`since=${time(2_000)}`)).toBe(0);
  expect(await countEntries(`until=${time(-2_000)}`)).toBe(0);
  expect(await countEntries('pool=customer')).toBe(0);
  expect(await countEntries('action=operator.roles_changed')).toBe(0);
});

test.each([
  ['/roles', { roles: [] }],
  ['/roles', { roles: ['support', 'support'] }],
  ['/roles/0', { roles: ['owner'] }],
  ['/email', { email: 'nobody' }],
  ['/locale', { locale: 'xx' }],
  ['/', { password: 'chosen for them' }],
])('returns 400 with path %s for %j', async (path, more) => {
  const platformAdmin = await anOperator();
  const res = await platformAdmin.post(url, newOperator(more));
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json()).toMatchObject({ error: { details: [{ path }] } });
});

test('returns 404 for welcome emails and impersonation with external pools', async () => {
  const [platformAdmin, tenant] = [await anOperator(), await aTenant()];
  const externalPools = await openApi({ BUILTIN_POOLS: 'none' });
  const client = as(platformAdmin.headers, externalPools.app);
  const impersonate = { userId: tenant.userId, reason: 'For the test' };
  for (const res of [
    await client.post(url, newOperator()),
    await client.post(`${url}/${platformAdmin.userId}/resend-welcome`),
    await client.post(`/admin/tenants/${tenant.tenantId}/impersonate`, impersonate),
  ])
    expect(errorOf(res)).toEqual([404, 'route_not_found']);
  expect((await client.get(`${url}/${platformAdmin.userId}?pool=admin`)).statusCode).toBe(200);
  await externalPools.close();
});
