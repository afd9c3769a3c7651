import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, expect, test } from 'vitest';
import { admin, anOperator, api, as, aTenant, services, openApi, send, type Response } from '../../../test/harness.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';
import { setPassword } from '../accounts/accounts.store.ts';
import { createOperator } from '../accounts/operators.ts';
import { hashPassword } from '../accounts/password/passwords.ts';
import type { Person, PoolAuditEntry } from './operators.contract.ts';

const second = await openApi();
afterAll(second.close);

const url = '/admin/users';
let count = 0;
const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const userOf = (res: Response) => res.json<{ user: Person }>().user;
interface ErrorResponse {
  error: { details?: { path: string; message: string }[] };
}
// Signals arrive immediately. Without one, as for tokens of an external issuer, it takes four seconds or more.
const soon = { timeout: 5_000, interval: 100 };
const later = { timeout: 10_000, interval: 200 };

/** An operator with a session of the built-in pool, which requires a second factor. */
async function aSignedInOperator(role: string) {
  const email = `own${count++}@parley.example`;
  const { userId, password, totpSecret } = await createOperator(services, { email, name: 'Own', roles: [role] });
  const mfaRequired = (await send('POST', '/admin/auth/login', {}, { email, password })).json<ErrorResponse>();
  const mfaToken = mfaRequired.error.details?.find(({ path }) => path === '/mfaToken')?.message;
  const code = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate();
  const res = await send('POST', '/admin/auth/login/mfa', {}, { mfaToken, code });
  const { accessToken } = res.json<{ accessToken: string }>();
  return { userId, accessToken, ...as(bearer(accessToken)) };
}

/** A customer with a session of the built-in pool. */
async function aSignedInCustomer() {
  const tenant = await aTenant();
  const password = 'correct horse battery';
  const hash = await hashPassword('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  const signIn = () => send('POST', '/auth/login', {}, { email: tenant.email, password });
  const tokens = (await signIn()).json<{ accessToken: string; refreshToken: string }>();
  return { ...tenant, ...tokens, signIn };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const statusOnEveryNode = async (token: string, path = '/me') =>
  Promise.all([api.app, second.app].map((app) => send('GET', path, bearer(token), undefined, app))).then((responses) =>
    responses.map(({ statusCode }) => statusCode),
  );

/** Audit entries by operators about a user. */
async function entriesAbout(userId: string, pool: PoolName = 'admin') {
  const auditor = await anOperator('auditor');
  const { data } = (await auditor.get(`/admin/audit-log?pool=${pool}&userId=${userId}`)).json<{
    data: PoolAuditEntry[];
  }>();
  return data.filter(({ actor }) => actor.type === 'operator');
}

test('changed roles take effect within five seconds and are audited once with the previous roles', async () => {
  const platformAdmin = await anOperator();
  const other = await aSignedInOperator('support');
  expect(errorOf(await other.get('/admin/audit-log'))).toEqual([403, 'permission_missing']);
  for (const roles of [
    ['support', 'auditor'],
    ['auditor', 'support'],
  ]) {
    const res = await platformAdmin.patch(`${url}/${other.userId}`, { roles });
    expect(userOf(res)).toMatchObject({ userId: other.userId, roles: ['auditor', 'support'] });
  }
  await expect.poll(async () => (await other.get('/admin/audit-log')).statusCode, soon).toBe(200);
  expect(await entriesAbout(other.userId)).toMatchObject([
    {
      action: 'operator.roles_changed',
      actor: { type: 'operator', id: platformAdmin.userId },
      data: { roles: ['auditor', 'support'], previous: { roles: ['support'] } },
    },
  ]);
});

test('returns 401 to a disabled customer within five seconds on every node, until enabled and signed in again', async () => {
  const [platformAdmin, person] = [await anOperator(), await aSignedInCustomer()];
  const { userId, accessToken, refreshToken, token } = person;
  expect([...(await statusOnEveryNode(accessToken)), ...(await statusOnEveryNode(token))]).toEqual([
    200, 200, 200, 200,
  ]);
  for (let i = 0; i < 2; i++) {
    const res = await platformAdmin.post(`${url}/${userId}/disable`, { pool: 'customer', reason: 'Stolen laptop' });
    expect(userOf(res)).toMatchObject({ userId, isDisabled: true });
  }
  await expect.poll(() => statusOnEveryNode(accessToken), soon).toEqual([401, 401]);
  await expect.poll(() => statusOnEveryNode(token), later).toEqual([401, 401]);
  expect(errorOf(await person.signIn())).toEqual([403, 'account_disabled']);

  expect(userOf(await platformAdmin.post(`${url}/${userId}/enable`, { pool: 'customer' }))).toMatchObject({
    isDisabled: false,
  });
  await expect.poll(async () => (await person.signIn()).statusCode, soon).toBe(200);
  expect(await statusOnEveryNode(accessToken)).toEqual([401, 401]);
  expect((await send('POST', '/auth/refresh', {}, { refreshToken })).statusCode).toBe(401);
  expect(await entriesAbout(userId, 'customer')).toMatchObject([
    { action: 'user.enabled', actor: { id: platformAdmin.userId } },
    { action: 'user.disabled', actor: { id: platformAdmin.userId }, data: { reason: 'Stolen laptop' } },
  ]);
});

test('returns 401 for a session that started while the user was being disabled, even after enabling', async () => {
  const [platformAdmin, person] = [await anOperator(), await aSignedInCustomer()];
  await sql`update directory.users set disabled_at = now() where user_id = ${person.userId}`.execute(admin);
  await platformAdmin.post(`${url}/${person.userId}/enable`, { pool: 'customer' });
  await expect.poll(() => statusOnEveryNode(person.accessToken), soon).toEqual([401, 401]);
});

test('returns 401 to a disabled operator within five seconds on every node', async () => {
  const [platformAdmin, other] = [await anOperator(), await aSignedInOperator('platform_admin')];
  expect((await other.get('/admin/me')).json()).toMatchObject({ userId: other.userId, mfaEnabled: true });
  expect(await statusOnEveryNode(other.accessToken, '/admin/me')).toEqual([200, 200]);
  await platformAdmin.post(`${url}/${other.userId}/disable`, { pool: 'admin', reason: 'Left us' });
  await expect.poll(() => statusOnEveryNode(other.accessToken, '/admin/me'), soon).toEqual([401, 401]);
});

test('ended sessions return 401 within five seconds, also with external tokens; the user can sign in again', async () => {
  const [platformAdmin, person] = [await anOperator(), await aSignedInCustomer()];
  const { userId, accessToken, token } = person;
  // The `iat` of external tokens has a resolution of one second.
  await sql`select pg_sleep(1.1)`.execute(admin);
  const res = await platformAdmin.post(`${url}/${userId}/end-sessions`, { pool: 'customer' });
  expect(res.json()).toEqual({ ended: 1 });
  await expect.poll(() => statusOnEveryNode(accessToken), soon).toEqual([401, 401]);
  await expect.poll(() => statusOnEveryNode(token), later).toEqual([401, 401]);
  expect((await person.signIn()).statusCode).toBe(200);
  expect(await entriesAbout(userId, 'customer')).toMatchObject([{ action: 'sessions.ended' }]);
});
