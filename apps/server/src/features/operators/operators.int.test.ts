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
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
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
/** What operators did about somebody. */
async function entriesAbout(userId: string) {
  const auditor = await anOperator('auditor');
  const { data } = (await auditor.get(`/admin/audit-log?userId=${userId}`)).json<{
    data: PoolAuditEntry[];
  }>();
  return data.filter(({ actor }) => actor.type === 'operator');
}
const actionsAbout = async (userId: string) => (await entriesAbout(userId)).map(({ action }) => action);

test('200: an operator reads who they are and what they may do', async () => {
  const support = await anOperator('support');
  expect((await support.get('/admin/me')).json()).toEqual({
    userId: support.userId,
    email: `${support.userId}@parley.example`,
    name: 'Operator',
    roles: ['support'],
    permissions: [...platformRolePermissions.support],
    mfaEnabled: null,
  });
  expect(refusal(await (await aTenant()).get('/admin/me'))).toEqual([401, 'wrong_pool']);
});

test('the roles that can be given are those that mean something, and the rules about them are those of the matrix', () => {
  expect(PlatformRole.options).toEqual(Object.keys(platformRolePermissions));
  for (const [role, held] of Object.entries(platformRolePermissions)) {
    expect(held.has('platform.user.manage'), role).toBe(role === 'platform_admin');
    expect(held.has('platform.impersonate.request'), role).toBe(mayImpersonate([role]));
  }
});

test('200: people of one pool, newest first, in pages that neither skip nor repeat', async () => {
  const operator = await anOperator('auditor');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await aUser([])).userId);
  const seen: string[] = [];
  for (let cursor = ''; seen.length < ids.length;) {
    const page = (await operator.get(`${url}?limit=2${cursor && `&cursor=${cursor}`}`)).json<{
      data: Person[];
      nextCursor: string;
    }>();
    expect(page.data.map(({ pool }) => pool)).toEqual(['customer', 'customer']);
    seen.push(...page.data.map(({ userId }) => userId));
    cursor = page.nextCursor;
  }
  expect(seen.slice(0, 5)).toEqual(ids);
  const { data } = (await operator.get(`${url}?pool=admin&limit=1`)).json<{ data: Person[] }>();
  expect(data[0]).toMatchObject({ userId: operator.userId, pool: 'admin', roles: ['auditor'] });
});

test('200: somebody is found by their whole address, in any case, and not by a part of it', async () => {
  const [operator, person] = [await anOperator('support'), await aUser([])];
  const ids = async (email: string, pool = 'customer') =>
    (await operator.get(`${url}?pool=${pool}&email=${encodeURIComponent(email)}`))
      .json<{ data: Person[] }>()
      .data.map(({ userId }) => userId);
  expect(await ids(person.email.toUpperCase())).toEqual([person.userId]);
  expect(await ids(person.email.slice(1))).toEqual([]);
  expect(await ids(person.email, 'admin')).toEqual([]);
});

test('200: a customer is shown with their tenants and what protects them', async () => {
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

test('404 user_not_found: somebody of the other pool is like nobody', async () => {
  const [boss, customer, other] = [await anOperator(), await aUser([]), await anOperator('support')];
  const reason = 'For the test';
  for (const [userId, pool] of [
    [customer.userId, 'admin'],
    [other.userId, 'customer'],
    [newId('user'), 'admin'],
    [newId('user'), 'customer'],
  ] as const) {
    for (const res of [
      await boss.get(`${url}/${userId}?pool=${pool}`),
      await boss.post(`${url}/${userId}/disable`, { pool, reason }),
      await boss.post(`${url}/${userId}/enable`, { pool }),
      await boss.post(`${url}/${userId}/end-sessions`, { pool }),
    ])
      expect(refusal(res), `${res.raw.req.url} ${pool}`).toEqual([404, 'user_not_found']);
  }
  for (const res of [
    await boss.patch(`${url}/${customer.userId}`, { roles: ['support'] }),
    await boss.post(`${url}/${customer.userId}/resend-welcome`),
  ])
    expect(refusal(res)).toEqual([404, 'user_not_found']);
  const { rows } = await sql`select from directory.users where user_id in (${customer.userId}, ${other.userId})
    and (disabled_at is not null or tokens_valid_after > 'epoch')`.execute(admin);
  expect(rows).toEqual([]);
});

test('201: a new operator has no password, gets one email with a link, and stands in the audit log', async () => {
  const boss = await anOperator();
  const wanted = newOperator({ locale: 'de' });
  const res = await boss.post(url, wanted);
  expect(res.statusCode, res.body).toBe(201);
  const user = userOf(res);
  expect(user).toMatchObject({ pool: 'admin', email: wanted.email.toLowerCase(), roles: ['auditor', 'support'] });

  const emails = await emailsTo(wanted.email);
  expect(emails).toMatchObject([{ kind: 'welcome', data: { pool: 'admin', userId: user.userId, locale: 'de' } }]);
  const writers = accountEmails(services, { PUBLIC_URL: 'https://parley.example' });
  for (const email of emails)
    expect((await writers['welcome']?.(email))?.text).toMatch('https://parley.example/pools/admin/reset?token=');

  expect(await entriesAbout(user.userId)).toMatchObject([
    {
      action: 'operator.created',
      userId: user.userId,
      actor: { type: 'operator', id: boss.userId },
      address: '127.0.0.1',
      requestId: res.headers['x-request-id'],
      data: { roles: ['auditor', 'support'] },
    },
  ]);
  const account = await sql`select password_hash from admin_pool.accounts where user_id = ${user.userId}`.execute(
    admin,
  );
  expect(account.rows).toEqual([{ passwordHash: null }]);
});

test('409 email_taken: in any case; nothing is written, and a customer may have the same address', async () => {
  const boss = await anOperator();
  const customer = await aUser([]);
  const wanted = newOperator({ email: customer.email });
  expect((await boss.post(url, wanted)).statusCode).toBe(201);
  expect(refusal(await boss.post(url, { ...wanted, email: customer.email.toUpperCase() }))).toEqual([
    409,
    'email_taken',
  ]);
  expect(await emailsTo(customer.email)).toHaveLength(1);
});

test('200: the welcome is sent again until there is a password; 409 from then on, and for who is disabled', async () => {
  const boss = await anOperator();
  const { userId, email } = userOf(await boss.post(url, newOperator()));
  const resend = () => boss.post(`${url}/${userId}/resend-welcome`);
  expect((await resend()).statusCode).toBe(200);
  expect(await emailsTo(email)).toHaveLength(2);
  await boss.post(`${url}/${userId}/disable`, { pool: 'admin', reason: 'For the test' });
  expect(refusal(await resend())).toEqual([409, 'account_disabled']);
  await boss.post(`${url}/${userId}/enable`, { pool: 'admin' });
  await inPool(services.db, 'admin', (tx) => setPassword(tx, userId, 'chosen'));
  expect(refusal(await resend())).toEqual([409, 'password_already_set']);
  expect(await emailsTo(email)).toHaveLength(2);
  expect(await actionsAbout(userId)).toEqual([
    'user.enabled',
    'user.disabled',
    'operator.welcome_resent',
    'operator.created',
  ]);
});

test('403 step_up_required: making operators and changing their roles wants somebody who just signed in', async () => {
  const stale = await anOperator('platform_admin', { auth_time: Math.floor(Date.now() / 1_000) - 301 });
  const other = await anOperator('support');
  for (const res of [
    await stale.post(url, newOperator()),
    await stale.patch(`${url}/${other.userId}`, { roles: ['platform_admin'] }),
  ])
    expect(refusal(res)).toEqual([403, 'step_up_required']);
});

test('409 cannot_disable_self: nobody disables themselves', async () => {
  const boss = await anOperator();
  await anOperator();
  const res = await boss.post(`${url}/${boss.userId}/disable`, { pool: 'admin', reason: 'Enough' });
  expect(refusal(res)).toEqual([409, 'cannot_disable_self']);
});

test('403 permission_missing: support looks and impersonates, an auditor only looks', async () => {
  const [support, auditor, person] = [await anOperator('support'), await anOperator('auditor'), await aTenant()];
  for (const who of [support, auditor]) {
    expect((await who.get(url)).statusCode).toBe(200);
    expect((await who.get(`${url}/${person.userId}`)).statusCode).toBe(200);
    for (const res of [
      await who.post(url, newOperator()),
      await who.patch(`${url}/${who.userId}`, { roles: ['platform_admin'] }),
      await who.post(`${url}/${person.userId}/resend-welcome`),
      await who.post(`${url}/${person.userId}/disable`, { pool: 'customer', reason: 'For the test' }),
      await who.post(`${url}/${person.userId}/enable`, { pool: 'customer' }),
      await who.post(`${url}/${person.userId}/end-sessions`, { pool: 'customer' }),
    ])
      expect(refusal(res), res.raw.req.url).toEqual([403, 'permission_missing']);
  }
  expect(refusal(await support.get('/admin/audit-log'))).toEqual([403, 'permission_missing']);
  expect((await auditor.get('/admin/audit-log')).statusCode).toBe(200);
  for (const path of [`/admin/tenants/${person.tenantId}/impersonate`, `/admin/impersonations/${newId('session')}/end`])
    expect(refusal(await auditor.post(path, path.endsWith('end') ? undefined : {}))).toEqual([
      403,
      'permission_missing',
    ]);
});

test('403 permission_missing: in the seconds in which a lost role is still remembered, it does nothing that stays', async () => {
  const [fallen, friend, customer] = [await anOperator(), await anOperator('support'), await aUser([])];
  await sql`update directory.users set disabled_at = now() where user_id = ${customer.userId}`.execute(admin);
  const wanted = newOperator();
  for (const act of [
    () => fallen.post(url, wanted),
    () => fallen.patch(`${url}/${friend.userId}`, { roles: ['platform_admin'] }),
    () => fallen.post(`${url}/${friend.userId}/resend-welcome`),
    () => fallen.post(`${url}/${friend.userId}/disable`, { pool: 'admin', reason: 'For the test' }),
    () => fallen.post(`${url}/${customer.userId}/enable`, { pool: 'customer' }),
    () => fallen.post(`${url}/${friend.userId}/end-sessions`, { pool: 'admin' }),
  ]) {
    // As another node would do it, with its signal lost: the role is remembered here, then taken away.
    await sql`update directory.users set platform_roles = '{platform_admin}' where user_id = ${fallen.userId}`.execute(
      admin,
    );
    await expect
      .poll(async () => (await fallen.get('/admin/me')).json<{ roles: string[] }>().roles, { timeout: 10_000 })
      .toEqual(['platform_admin']);
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${fallen.userId}`.execute(admin);
    const res = await act();
    expect(refusal(res), res.raw.req.url).toEqual([403, 'permission_missing']);
  }
  expect(await emailsTo(wanted.email)).toEqual([]);
  expect(await actionsAbout(friend.userId)).toEqual([]);
});

test('200: the audit log of a pool by action, person and time, in pages', async () => {
  const [boss, auditor] = [await anOperator(), await anOperator('auditor')];
  const made: string[] = [];
  for (let i = 0; i < 3; i++) made.unshift(userOf(await boss.post(url, newOperator())).userId);
  const ask = async (query: string) =>
    (await auditor.get(`/admin/audit-log?${query}`)).json<{ data: PoolAuditEntry[]; nextCursor: string | null }>();
  const first = await ask('action=operator.created&limit=2');
  const next = await ask(`action=operator.created&limit=2&cursor=${first.nextCursor}`);
  expect([...first.data, ...next.data].slice(0, 3).map(({ userId }) => userId)).toEqual(made);

  const entry = first.data[1];
  const at = new Date(entry?.createdAt ?? 0).getTime();
  const time = (ms: number) => new Date(at + ms).toISOString();
  const found = async (query: string) => (await ask(`userId=${made[1]}&${query}`)).data.length;
  expect(await found(`since=${time(-2_000)}&until=${time(2_000)}`)).toBe(1);
  expect(await found(`since=${time(2_000)}`)).toBe(0);
  expect(await found(`until=${time(-2_000)}`)).toBe(0);
  expect(await found('pool=customer')).toBe(0);
  expect(await found('action=operator.roles_changed')).toBe(0);
});

test.each([
  ['/roles', { roles: [] }],
  ['/roles', { roles: ['support', 'support'] }],
  ['/roles/0', { roles: ['owner'] }],
  ['/email', { email: 'nobody' }],
  ['/locale', { locale: 'xx' }],
  ['/', { password: 'chosen for them' }],
])('400: says what is wrong at %s with %j', async (path, more) => {
  const boss = await anOperator();
  const res = await boss.post(url, newOperator(more));
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json()).toMatchObject({ error: { details: [{ path }] } });
});

test('404: where operators sign in elsewhere nobody is sent a link of ours, and where customers do none is impersonated', async () => {
  const [boss, tenant] = [await anOperator(), await aTenant()];
  const elsewhere = await openApi({ BUILTIN_POOLS: 'none' });
  const there = as(boss.headers, elsewhere.app);
  const impersonate = { userId: tenant.userId, reason: 'For the test' };
  for (const res of [
    await there.post(url, newOperator()),
    await there.post(`${url}/${boss.userId}/resend-welcome`),
    await there.post(`/admin/tenants/${tenant.tenantId}/impersonate`, impersonate),
  ])
    expect(refusal(res)).toEqual([404, 'route_not_found']);
  expect((await there.get(`${url}/${boss.userId}?pool=admin`)).statusCode).toBe(200);
  await elsewhere.close();
});
