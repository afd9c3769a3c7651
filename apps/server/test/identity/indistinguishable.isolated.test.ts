import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { setDisabled } from '../../src/features/accounts/accounts.store.ts';
import { inPool } from '../../src/platform/pool.ts';
import { admin, aTenant, services, openApi, type Response } from '../harness.ts';
import { anAccount, anIp, sendFrom, wrongPassword } from './accounts-fixture.ts';

const open = await openApi({ SIGNUP: 'open' });
// The pools' first keys are made when somebody first asks, or seconds after the start: not while rows are counted.
for (const pool of ['customer', 'admin']) await open.app.inject({ url: `/pools/${pool}/jwks` });
afterAll(open.close);

let made = 0;
const nobody = () => `nobody-${++made}@example.com`;

/** All that a caller sees, without what is another at every request. */
function seen({ statusCode, headers, body }: Response) {
  const { 'x-request-id': id, date, ...others } = headers;
  expect([typeof id, typeof date]).toEqual(['string', 'string']);
  const alike = (text: string) => text.replaceAll(/req_\w+/g, 'req_').replaceAll(/\b[1-9]\d* s\b/g, 'some s');
  const waits = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      /^(ratelimit|retry-after)/.test(name) ? String(value).replaceAll(/\d+/g, '9') : value,
    ]),
  );
  return { statusCode, headers: waits, names: Object.keys(headers), body: alike(body) };
}

/** How many rows each table has that anything about people could be written to. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname in ('public', 'directory', 'customer_pool', 'admin_pool') order by 1`.execute(
    admin,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.raw(name)}`.execute(admin);
    counts[name] = rows[0]?.n ?? 0;
  }
  return counts;
}

/** What `work` answered, and in which tables it left how many rows more. */
async function traceOf(work: () => Promise<Response>) {
  const before = await rowCounts();
  const answer = seen(await work());
  const after = await rowCounts();
  const written = Object.entries(after).flatMap(([name, n]) =>
    n === before[name] ? [] : [`${name} ${n - (before[name] ?? 0)}`],
  );
  return { ...answer, written };
}

/** People of every kind whom nobody should be able to tell from nobody. */
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
    'somebody of another issuer': (await aTenant()).email,
    'an operator': operator.email,
    'the same in capitals': (await anAccount()).email.toUpperCase(),
  };
}

const login = (email: string, address: string, path = '/auth/login') =>
  sendFrom(address, path, { email, password: wrongPassword });

test('a wrong password: 401 alike for everybody and for nobody, with the same rows', async () => {
  const expected = await traceOf(() => login(nobody(), anIp()));
  expect(expected).toMatchObject({
    statusCode: 401,
    written: ['customer_pool.audit_entries 1', 'customer_pool.login_attempts 3'],
  });
  for (const [who, email] of Object.entries(await people()))
    expect(await traceOf(() => login(email, anIp())), who).toEqual(expected);
});

test('an operator’s account and none: alike too', async () => {
  const { email } = await anAccount({ pool: 'admin' });
  const expected = await traceOf(() => login(nobody(), anIp(), '/admin/auth/login'));
  expect(expected.statusCode).toBe(401);
  expect(await traceOf(() => login(email, anIp(), '/admin/auth/login'))).toEqual(expected);
});

test('too many wrong passwords: 429 after as many for nobody as for somebody, and alike', async () => {
  const lock = async (email: string) => {
    const address = anIp();
    const answers = [];
    for (let n = 0; n < 7; n++) answers.push(seen(await login(email, address)));
    return answers;
  };
  const expected = await lock(nobody());
  expect(expected.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(expected.at(-1)?.body).toContain('Try again in some s.');
  expect(await lock((await anAccount()).email)).toEqual(expected);

  // And one account from everywhere. Counted by hand up to the last: a hundred hashes would show nothing more.
  const many = async (email: string) => {
    await login(email, anIp());
    await sql`update customer_pool.login_attempts set failures = 99 where failures = 1`.execute(admin);
    return [seen(await login(email, anIp())), seen(await login(email, anIp()))];
  };
  const everywhere = await many(nobody());
  expect(everywhere.map(({ statusCode }) => statusCode)).toEqual([401, 429]);
  expect(await many((await anAccount()).email)).toEqual(everywhere);
});

test('POST /auth/password/forgot: 202 alike for everybody and for nobody, and one email waits for each', async () => {
  const forgot = (email: string) => () => sendFrom(anIp(), '/auth/password/forgot', { email });
  const expected = await traceOf(forgot(nobody()));
  expect(expected).toMatchObject({ statusCode: 202, written: ['directory.emails 1'] });
  const all = await people();
  for (const [who, email] of Object.entries(all)) expect(await traceOf(forgot(email)), who).toEqual(expected);
  const { rows } = await sql<{ data: object }>`select distinct kind, data, attempts from directory.emails
    where kind = 'reset'`.execute(admin);
  expect(rows, 'the emails say nothing of whom they are for').toHaveLength(1);
});

test('POST /auth/signup: 202 alike for everybody and for nobody, with the same rows', async () => {
  const signUp = (email: string) => () => {
    const body = { email, name: 'Somebody', organisation: 'Somewhere' };
    return sendFrom(anIp(), '/auth/signup', body, {}, open.app);
  };
  const expected = await traceOf(signUp(nobody()));
  expect(expected).toMatchObject({ statusCode: 202, written: ['customer_pool.signups 1', 'directory.emails 1'] });
  for (const [who, email] of Object.entries(await people()))
    expect(await traceOf(signUp(email)), who).toEqual(expected);
});
