import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { setDisabled } from '../../src/features/accounts/accounts.store.ts';
import { inPool } from '../../src/platform/pool.ts';
import { admin, aTenant, services, openApi, type Response } from '../harness.ts';
import { anAccount, anIp, sendFrom, wrongPassword } from './accounts-fixture.ts';

// What a caller could measure is tested with real hashes, in indistinguishable.alone.test.ts.
vi.mock(import('@node-rs/argon2'), async (original) => {
  const { withCheapHashes } = await import('./cheap-hashes.ts');
  return withCheapHashes(await original());
});

const open = await openApi({ SIGNUP: 'open' });
// Creates the pools' first signing keys now, so that they don't change the row counts.
for (const pool of ['customer', 'admin']) await open.app.inject({ url: `/pools/${pool}/jwks` });
afterAll(open.close);

let count = 0;
const anUnknownEmail = () => `unknown-${++count}@example.com`;

/** Everything a caller can observe, without what differs for every request. */
function observable({ statusCode, headers, body }: Response) {
  const { 'x-request-id': id, date, ...others } = headers;
  expect([typeof id, typeof date]).toEqual(['string', 'string']);
  const normalize = (text: string) =>
    text
      .replaceAll(/req_\w+/g, 'req_')
      .replaceAll(/\b[1-9]\d* s\b/g, 'some s')
      .replaceAll(/"signupId":"[\w-]+"/g, '"signupId":""'); // random, also for a known account
  const normalizedHeaders = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      /^(ratelimit|retry-after)/.test(name) ? String(value).replaceAll(/\d+/g, '9') : value,
    ]),
  );
  return { statusCode, headers: normalizedHeaders, names: Object.keys(headers), body: normalize(body) };
}

/** Row counts of all tables that could contain data about people. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname in ('public', 'directory', 'customer_pool', 'admin_pool') order by 1`.execute(
    admin,
  );
  const counts = tables.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, count(*)::int as n from ${sql.raw(name)}`,
  );
  const { rows } = await sql<{ name: string; n: number }>`${sql.join(counts, sql` union all `)} order by 1`.execute(
    admin,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** The response of `work`, and how many rows it added to which tables. */
async function traceOf(work: () => Promise<Response>) {
  const before = await rowCounts();
  const observed = observable(await work());
  const after = await rowCounts();
  const written = Object.entries(after).flatMap(([name, n]) =>
    n === before[name] ? [] : [`${name} ${n - (before[name] ?? 0)}`],
  );
  return { ...observed, written };
}

/** Accounts that must be indistinguishable from unknown email addresses. */
async function people(): Promise<Record<string, string>> {
  const disabled = await anAccount();
  await inPool(services.db, 'customer', (tx) => setDisabled(tx, disabled.userId, true));
  const passwordless = await anAccount();
  await sql`update customer_pool.accounts set password_hash = null where user_id = ${passwordless.userId}`.execute(
    admin,
  );
  const operator = await anAccount({ pool: 'admin' });
  return {
    'an account': (await anAccount()).email,
    'a disabled account': disabled.email,
    'an account without a password': passwordless.email,
    'a user of an external issuer': (await aTenant()).email,
    'an operator': operator.email,
    'an account in capitals': (await anAccount()).email.toUpperCase(),
  };
}

const login = (email: string, ip: string, path = '/auth/login') =>
  sendFrom(ip, path, { email, password: wrongPassword });

test('a wrong password returns the same 401 and writes the same rows for known and unknown accounts', async () => {
  const expected = await traceOf(() => login(anUnknownEmail(), anIp()));
  expect(expected).toMatchObject({
    statusCode: 401,
    written: ['customer_pool.audit_entries 1', 'customer_pool.login_attempts 3'],
  });
  for (const [kind, email] of Object.entries(await people()))
    expect(await traceOf(() => login(email, anIp())), kind).toEqual(expected);
});

test('a wrong password returns the same 401 for known and unknown operators', async () => {
  const { email } = await anAccount({ pool: 'admin' });
  const expected = await traceOf(() => login(anUnknownEmail(), anIp(), '/admin/auth/login'));
  expect(expected.statusCode).toBe(401);
  expect(await traceOf(() => login(email, anIp(), '/admin/auth/login'))).toEqual(expected);
});

test('too many wrong passwords return the same 429 after the same number of attempts for known and unknown accounts', async () => {
  const lock = async (email: string) => {
    const ip = anIp();
    const responses = [];
    for (let n = 0; n < 7; n++) responses.push(observable(await login(email, ip)));
    return responses;
  };
  const expected = await lock(anUnknownEmail());
  expect(expected.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(expected.at(-1)?.body).toContain('Try again in some s.');
  expect(await lock((await anAccount()).email)).toEqual(expected);

  // One account from many IP addresses. The counter is set directly, because a hundred hashes would be slow.
  const lockFromManyIps = async (email: string) => {
    await login(email, anIp());
    await sql`update customer_pool.login_attempts set failures = 99 where failures = 1`.execute(admin);
    return [observable(await login(email, anIp())), observable(await login(email, anIp()))];
  };
  const expectedFromManyIps = await lockFromManyIps(anUnknownEmail());
  expect(expectedFromManyIps.map(({ statusCode }) => statusCode)).toEqual([401, 429]);
  expect(await lockFromManyIps((await anAccount()).email)).toEqual(expectedFromManyIps);
});

test('POST /auth/password/forgot returns the same 202 and queues one email for known and unknown accounts', async () => {
  const forgot = (email: string) => () => sendFrom(anIp(), '/auth/password/forgot', { email });
  const expected = await traceOf(forgot(anUnknownEmail()));
  expect(expected).toMatchObject({ statusCode: 202, written: ['directory.emails 1'] });
  const all = await people();
  for (const [kind, email] of Object.entries(all)) expect(await traceOf(forgot(email)), kind).toEqual(expected);
  const { rows } = await sql<{ data: object }>`select distinct kind, data, attempts from directory.emails
    where kind = 'reset'`.execute(admin);
  expect(rows, 'queued emails do not reveal whether the account exists').toHaveLength(1);
});

test('POST /auth/signup returns the same 202 and writes the same rows for known and unknown accounts', async () => {
  const signUp = (email: string) => () => {
    const body = { email, name: 'Somebody', organisation: 'Somewhere' };
    return sendFrom(anIp(), '/auth/signup', body, {}, open.app);
  };
  const expected = await traceOf(signUp(anUnknownEmail()));
  expect(expected).toMatchObject({ statusCode: 202, written: ['customer_pool.signups 1', 'directory.emails 1'] });
  for (const [kind, email] of Object.entries(await people()))
    expect(await traceOf(signUp(email)), kind).toEqual(expected);
});
