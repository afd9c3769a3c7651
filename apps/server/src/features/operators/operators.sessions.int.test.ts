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
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const userOf = (res: Response) => res.json<{ user: Person }>().user;
interface ErrorAnswer {
  error: { details?: { path: string; message: string }[] };
}
// A signal is there at once. Without one, as for a token of another issuer, it takes four seconds, and a busy machine more.
const soon = { timeout: 5_000, interval: 100 };
const later = { timeout: 10_000, interval: 200 };

/** Somebody of the admin pool with a session of our own, and a second factor as they must. */
async function aSignedInOperator(role: string) {
  const email = `own${count++}@parley.example`;
  const { userId, password, totpSecret } = await createOperator(services, { email, name: 'Own', roles: [role] });
  const asked = (await send('POST', '/admin/auth/login', {}, { email, password })).json<ErrorAnswer>();
  const mfaToken = asked.error.details?.find(({ path }) => path === '/mfaToken')?.message;
  const code = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate();
  const res = await send('POST', '/admin/auth/login/mfa', {}, { mfaToken, code });
  const { accessToken } = res.json<{ accessToken: string }>();
  return { userId, accessToken, ...as(bearer(accessToken)) };
}

/** Somebody with a session of our own pool. */
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
const everywhere = async (token: string, path = '/me') =>
  Promise.all([api.app, second.app].map((app) => send('GET', path, bearer(token), undefined, app))).then((responses) =>
    responses.map(({ statusCode }) => statusCode),
  );

/** What operators did about somebody. */
async function entriesAbout(userId: string, pool: PoolName = 'admin') {
  const auditor = await anOperator('auditor');
  const { data } = (await auditor.get(`/admin/audit-log?pool=${pool}&userId=${userId}`)).json<{
    data: PoolAuditEntry[];
  }>();
  return data.filter(({ actor }) => actor.type === 'operator');
}

test('200: changed roles act within five seconds, and are told once, with those before', async () => {
  const boss = await anOperator();
  const other = await aSignedInOperator('support');
  expect(refusal(await other.get('/admin/audit-log'))).toEqual([403, 'permission_missing']);
  for (const roles of [
    ['support', 'auditor'],
    ['auditor', 'support'],
  ]) {
    const res = await boss.patch(`${url}/${other.userId}`, { roles });
    expect(userOf(res)).toMatchObject({ userId: other.userId, roles: ['auditor', 'support'] });
  }
  await expect.poll(async () => (await other.get('/admin/audit-log')).statusCode, soon).toBe(200);
  expect(await entriesAbout(other.userId)).toMatchObject([
    {
      action: 'operator.roles_changed',
      actor: { type: 'operator', id: boss.userId },
      data: { roles: ['auditor', 'support'], previous: { roles: ['support'] } },
    },
  ]);
});

test('a disabled customer is out within five seconds on every node, and signs in anew once enabled', async () => {
  const [boss, person] = [await anOperator(), await aSignedInCustomer()];
  const { userId, accessToken, refreshToken, token } = person;
  expect([...(await everywhere(accessToken)), ...(await everywhere(token))]).toEqual([200, 200, 200, 200]);
  for (let i = 0; i < 2; i++) {
    const res = await boss.post(`${url}/${userId}/disable`, { pool: 'customer', reason: 'Stolen laptop' });
    expect(userOf(res)).toMatchObject({ userId, isDisabled: true });
  }
  await expect.poll(() => everywhere(accessToken), soon).toEqual([401, 401]);
  await expect.poll(() => everywhere(token), later).toEqual([401, 401]);
  expect(refusal(await person.signIn())).toEqual([403, 'account_disabled']);

  expect(userOf(await boss.post(`${url}/${userId}/enable`, { pool: 'customer' }))).toMatchObject({ isDisabled: false });
  await expect.poll(async () => (await person.signIn()).statusCode, soon).toBe(200);
  expect(await everywhere(accessToken)).toEqual([401, 401]);
  expect((await send('POST', '/auth/refresh', {}, { refreshToken })).statusCode).toBe(401);
  expect(await entriesAbout(userId, 'customer')).toMatchObject([
    { action: 'user.enabled', actor: { id: boss.userId } },
    { action: 'user.disabled', actor: { id: boss.userId }, data: { reason: 'Stolen laptop' } },
  ]);
});

test('a session that began while its person was being disabled does not come to life when they are enabled', async () => {
  const [boss, person] = [await anOperator(), await aSignedInCustomer()];
  await sql`update directory.users set disabled_at = now() where user_id = ${person.userId}`.execute(admin);
  await boss.post(`${url}/${person.userId}/enable`, { pool: 'customer' });
  await expect.poll(() => everywhere(person.accessToken), soon).toEqual([401, 401]);
});

test('a disabled operator is out within five seconds on every node', async () => {
  const [boss, other] = [await anOperator(), await aSignedInOperator('platform_admin')];
  expect((await other.get('/admin/me')).json()).toMatchObject({ userId: other.userId, mfaEnabled: true });
  expect(await everywhere(other.accessToken, '/admin/me')).toEqual([200, 200]);
  await boss.post(`${url}/${other.userId}/disable`, { pool: 'admin', reason: 'Left us' });
  await expect.poll(() => everywhere(other.accessToken, '/admin/me'), soon).toEqual([401, 401]);
});

test('200: ended sessions stop within five seconds, those of another issuer too; the person may sign in', async () => {
  const [boss, person] = [await anOperator(), await aSignedInCustomer()];
  const { userId, accessToken, token } = person;
  // A second has passed: an issuer's tokens are told apart by whole seconds.
  await sql`select pg_sleep(1.1)`.execute(admin);
  const res = await boss.post(`${url}/${userId}/end-sessions`, { pool: 'customer' });
  expect(res.json()).toEqual({ ended: 1 });
  await expect.poll(() => everywhere(accessToken), soon).toEqual([401, 401]);
  await expect.poll(() => everywhere(token), later).toEqual([401, 401]);
  expect((await person.signIn()).statusCode).toBe(200);
  expect(await entriesAbout(userId, 'customer')).toMatchObject([{ action: 'sessions.ended' }]);
});
