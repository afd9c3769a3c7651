import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOperator } from '../../src/features/accounts/operators.ts';
import { setPassword } from '../../src/features/accounts/accounts.store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inPool } from '../../src/platform/pool.ts';
import { Secret, TOTP } from 'otpauth';
import { isFull } from '../../../../tools/testing/size.ts';
import { as, aTenant, services } from '../harness.ts';
import { hashOf } from './accounts-fixture.ts';
import { fillIn, heading, openSite, type Site } from './browser.ts';

// After signing out, or ending a session from another device, that browser must sign in again: its hosted session has
// ended too. Other browsers stay signed in.

const password = 'violet thunder over Lisbon';
let site: Site;
beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());

type Pool = 'customer' | 'admin';
interface Person {
  pool: Pool;
  email: string;
  code?: () => string;
}

async function aCustomer(): Promise<Person> {
  const tenant = await aTenant();
  const hash = await hashOf('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  return { pool: 'customer', email: tenant.email };
}

async function anOperator(): Promise<Person> {
  const email = `${newId('user')}@parley.example`;
  const operator = await createOperator(services, { email, name: 'Olga', roles: ['platform_admin'], password });
  const totp = new TOTP({ secret: Secret.fromBase32(operator.totpSecret) });
  // Each code works once; the previous and next codes are accepted too.
  let step = -1;
  return { pool: 'admin', email, code: () => totp.generate({ timestamp: Date.now() + 30_000 * step++ }) };
}

const start = (page: Page, pool: Pool) => page.goto(`${site.example.url}/start/${pool}`);
const mustSignIn = async (page: Page, pool: Pool) => {
  await start(page, pool);
  const title = page.getByRole('heading', { level: 1 });
  await title.waitFor();
  return (await title.innerText()) !== 'Signed in';
};

/** Signs in in a new browser. */
async function signInInNewBrowser({ pool, email, code }: Person) {
  const page = await site.newPage();
  await start(page, pool);
  await fillIn(page, { email, password });
  if (code) {
    await page.locator('input[name=code]:visible').first().waitFor();
    await fillIn(page, { code: code() });
  }
  await heading(page, 'Signed in');
  const arrival = site.example.arrivals.at(-1) ?? expect.fail('no sign-in completed');
  return { page, arrival };
}

const pathOf = (pool: Pool, path: string) => (pool === 'admin' ? `/admin${path}` : path);
const client = (token: string) => as({ authorization: `Bearer ${token}` }, site.api.app);

const pools = [
  ['customer', aCustomer],
  ['admin', anOperator],
] as const;
/** Per commit, each test uses another pool, because a sign-in hashes a password. */
const poolsOf = (sample: Pool) => pools.filter(([pool]) => isFull || pool === sample);

test.each(poolsOf('customer'))(
  'pool %s: signing out with the API ends only the hosted session of that browser',
  async (pool, make) => {
    const person = await make();
    const [first, second] = [await signInInNewBrowser(person), await signInInNewBrowser(person)];
    const { refreshToken } = first.arrival;
    const response = await as({}, site.api.app).post(pathOf(pool, '/auth/logout'), { refreshToken });
    expect(response.statusCode, response.body).toBe(200);
    expect(await mustSignIn(first.page, pool)).toBe(true);
    expect(await mustSignIn(second.page, pool)).toBe(false);
  },
  120_000,
);

test.each(poolsOf('admin'))(
  'pool %s: ending a session from another device ends its hosted session too',
  async (pool, make) => {
    const person = await make();
    const [first, second] = [await signInInNewBrowser(person), await signInInNewBrowser(person)];
    const sid = String(decodeJwt(first.arrival.accessToken)['sid']);
    const url = pathOf(pool, `/sessions/${sid}`);
    const headers = client(second.arrival.accessToken).headers;
    expect((await site.api.app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(200);
    expect(await mustSignIn(first.page, pool)).toBe(true);
    expect(await mustSignIn(second.page, pool)).toBe(false);
  },
  120_000,
);

test('signing out on the hosted page sends a back-channel logout and keeps the other browser signed in', async () => {
  const person = await aCustomer();
  const [first, second] = [await signInInNewBrowser(person), await signInInNewBrowser(person)];
  const before = site.example.logoutTokens.length;
  await first.page.click('#sign-out');
  await first.page.getByRole('button', { name: 'Sign out' }).click();
  await first.page.waitForURL(`${site.example.url}/`);
  await expect.poll(() => site.example.logoutTokens.length, { timeout: 15_000 }).toBe(before + 1);
  const token = site.example.logoutTokens.at(-1) ?? '';
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' });
  expect(decodeJwt(token)).toMatchObject({
    iss: `${site.apiUrl}/pools/customer`,
    sub: first.arrival.claims?.sub,
    sid: expect.any(String),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  expect(await mustSignIn(first.page, 'customer')).toBe(true);
  expect(await mustSignIn(second.page, 'customer')).toBe(false);
}, 120_000);
