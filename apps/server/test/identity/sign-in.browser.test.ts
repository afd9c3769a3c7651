import * as oidc from 'openid-client';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { insertAccount, setPassword } from '../../src/features/accounts/accounts.store.ts';
import { createOperator } from '../../src/features/accounts/operators.ts';
import { hashPassword } from '../../src/features/accounts/password/passwords.ts';
import { newId } from '../../src/platform/ids.ts';
import { queueEmail } from '../../src/platform/emails.ts';
import { inPool } from '../../src/platform/pool.ts';
import { as, aTenant, services, type TestTenant } from '../harness.ts';
import { fillIn, heading, openSite, withAuthenticator, type Site } from './browser.ts';

const password = 'violet thunder over Lisbon';
let site: Site;
beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());

async function aCustomer(): Promise<TestTenant> {
  const tenant = await aTenant();
  const hash = await hashPassword('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  return tenant;
}

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
const arrived = () => site.example.arrivals.at(-1) ?? expect.fail('nobody arrived');
const bearer = (token: string) => as({ authorization: `Bearer ${token}` }, site.api.app);

async function start(page: Page, pool: 'customer' | 'admin', query = '') {
  await page.goto(`${site.example.url}/start/${pool}${query}`);
}

test('a customer signs in at the hosted page with code and PKCE, refreshes, comes back without a question, and signs out', async () => {
  const customer = await aCustomer();
  const page = await site.newPage();
  await start(page, 'customer');
  await fillIn(page, { email: customer.email, password: 'not the right one' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { password });
  await heading(page, 'Signed in');
  const { accessToken, refreshToken, claims } = arrived();
  expect(claims).toMatchObject({ sub: customer.userId, email: customer.email, email_verified: true });
  expect((await bearer(accessToken).get('/me')).json()).toMatchObject({
    tenantId: customer.tenantId,
    roles: ['owner'],
  });

  const renewed = await oidc.refreshTokenGrant(await site.example.discover('customer'), refreshToken);
  expect((await bearer(renewed.access_token).get('/me')).statusCode).toBe(200);

  await start(page, 'customer');
  await heading(page, 'Signed in'); // no page in between: the browser is known
  await page.click('#sign-out');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${site.example.url}/`);
  await expect(
    oidc.refreshTokenGrant(await site.example.discover('customer'), renewed.refresh_token ?? ''),
  ).rejects.toThrow();
  await vi.waitFor(async () => expect((await bearer(renewed.access_token).get('/me')).statusCode).toBe(401), 5_000);
  await start(page, 'customer');
  await heading(page, 'Sign in');
}, 60_000);

test('without script, and in German, a password is enough', async () => {
  const customer = await aCustomer();
  const page = await site.newPage({ javaScriptEnabled: false, locale: 'de-DE' });
  await start(page, 'customer');
  await heading(page, 'Anmelden');
  await fillIn(page, { email: customer.email, password });
  await heading(page, 'Signed in');
}, 60_000);

test('an operator needs the second factor; their token opens the admin pool and no tenant', async () => {
  const email = `${newId('user')}@parley.example`;
  const made = await createOperator(services, { email, name: 'Olga', roles: ['platform_admin'], password });
  const page = await site.newPage();
  await start(page, 'admin');
  await fillIn(page, { email, password });
  await heading(page, 'Two-factor authentication');
  await fillIn(page, { code: '000000' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { code: codeOf(made.totpSecret) });
  await heading(page, 'Signed in');
  const { accessToken, pool } = arrived();
  expect(pool).toBe('admin');
  const tenant = await aTenant();
  expect((await bearer(accessToken).get(`/admin/tenants/${tenant.tenantId}`)).statusCode).toBe(200);
  expect((await bearer(accessToken).get('/me')).statusCode).toBe(401);
}, 60_000);

test('a new operator chooses a password by email, is made to add a passkey, and then signs in with it alone', async () => {
  const [userId, email] = [newId('user'), `${newId('user')}@parley.example`];
  await inPool(services.db, 'admin', async (tx) => {
    await insertAccount(tx, {
      userId,
      email,
      name: 'Nina',
      locale: 'en',
      passwordHash: null,
      platformRoles: ['support'],
    });
    await queueEmail(tx, 'welcome', email, { pool: 'admin', userId, locale: 'en' });
  });
  const page = await site.newPage();
  const device = await withAuthenticator(page);
  await page.goto((await site.emailTo(email, /admin account/)).link);
  await fillIn(page, { password: 'password1234' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { password });
  await page.getByRole('heading', { level: 1, name: /changed|saved|done|new password/i }).waitFor();

  await start(page, 'admin');
  await fillIn(page, { email, password });
  await page.locator('form[data-passkey=create] button').click();
  await heading(page, 'Signed in');
  expect(await device.credentials()).toHaveLength(1);

  await page.context().clearCookies();
  await start(page, 'admin');
  await page.locator('form[data-passkey=get] button').click();
  await heading(page, 'Signed in');
  expect((await bearer(arrived().accessToken).get('/admin/me')).json()).toMatchObject({ userId, mfaEnabled: true });

  await page.context().clearCookies();
  await device.refuse();
  await start(page, 'admin');
  await page.locator('form[data-passkey=get] button').click();
  await page.locator('form[data-passkey=get] [role=alert]').waitFor();
}, 60_000);

test('a new operator sets up an authenticator app, keeps the recovery codes, and signs in with one', async () => {
  const [userId, email] = [newId('user'), `${newId('user')}@parley.example`];
  const passwordHash = await hashPassword('admin', password);
  await inPool(services.db, 'admin', (tx) =>
    insertAccount(tx, { userId, email, name: 'Tom', locale: 'en', passwordHash, platformRoles: ['auditor'] }),
  );
  const page = await site.newPage();
  await start(page, 'admin');
  await fillIn(page, { email, password });
  await heading(page, /Set up two.factor authentication/);
  const shown = (await page.locator('main').innerText()).replaceAll(/\s/g, '');
  const secret = /[A-Z2-7]{32}/.exec(shown)?.[0] ?? '';
  await fillIn(page, { code: codeOf(secret) });
  await heading(page, /recovery codes/i);
  const codes = (await page.locator('main').innerText()).match(/\w{4}(-\w{4}){3}/g) ?? [];
  expect(codes).toHaveLength(10);
  await page.getByRole('checkbox').check();
  await page.getByRole('button').last().click();
  await heading(page, 'Signed in');

  for (const [attempt, isGood] of [
    [0, true],
    [1, false],
  ] as const) {
    await page.context().clearCookies();
    await start(page, 'admin');
    await fillIn(page, { email, password });
    await page.locator('summary').click();
    await page.fill('#recovery-code', codes[0] ?? '');
    await page.keyboard.press('Enter');
    if (isGood) await heading(page, 'Signed in');
    else await page.getByRole('alert').waitFor();
    expect(attempt).toBeLessThan(2);
  }
}, 60_000);

test('a customer adds a passkey from the portal, which wants a fresh proof, and signs in with it', async () => {
  const customer = await aCustomer();
  const login = await site.api.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { email: customer.email, password },
  });
  const me = bearer(login.json<{ accessToken: string }>().accessToken);
  const page = await site.newPage();
  await withAuthenticator(page);
  await page.goto(`${site.apiUrl}/pools/customer/forgot`);
  const { options } = (await me.post('/mfa/passkeys/options')).json<{ options: unknown }>();
  // As text: it runs in the page, whose types these files do not know.
  const credential: unknown = await page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);
  const added = await me.post('/mfa/passkeys', { credential, name: 'Laptop' });
  expect(added.statusCode).toBe(201);
  expect((await me.post('/mfa/passkeys', { credential, name: 'Again' })).statusCode).toBe(401); // a challenge is good once

  await start(page, 'customer');
  await page.locator('form[data-passkey=get] button').click();
  await heading(page, 'Signed in');
  expect(arrived().claims?.sub).toBe(customer.userId);

  // With a passkey as the only second factor, a password alone is refused, also where there is no page.
  const again = await site.api.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { email: customer.email, password },
  });
  expect(again.json()).toMatchObject({ error: { reason: 'mfa_required' } });
}, 60_000);

test('forgotten password: email, new password, every old session ended, signed in again', async () => {
  const customer = await aCustomer();
  const login = await site.api.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { email: customer.email, password },
  });
  const page = await site.newPage();
  await start(page, 'customer');
  await page.getByRole('link', { name: /forgot/i }).click();
  await fillIn(page, { email: customer.email });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const { link } = await site.emailTo(customer.email, /reset/i);
  await page.goto(link);
  await fillIn(page, { password: 'password1234' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { password: 'amber rivers in October' });
  await heading(page, 'Password changed');
  const refreshed = await site.api.app.inject({
    method: 'POST',
    url: '/auth/refresh',
    payload: { refreshToken: login.json<{ refreshToken: string }>().refreshToken },
  });
  expect(refreshed.statusCode).toBe(401);
  await page.goto(link);
  await page.getByRole('alert').waitFor(); // good once
  await start(page, 'customer');
  await fillIn(page, { email: customer.email, password: 'amber rivers in October' });
  await heading(page, 'Signed in');
}, 60_000);

test('sign-up makes a tenant once its address is confirmed, and the owner invites a colleague who signs in', async () => {
  const email = `${newId('user')}@example.com`;
  const page = await site.newPage();
  await start(page, 'customer');
  await page.getByRole('link', { name: /create an account/i }).click();
  await fillIn(page, { email, name: 'Sam Founder', organisation: 'Sam & Sons' });
  await page.goto((await site.emailTo(email, /confirm/i)).link);
  await page.getByText(`Sam & Sons on Parley with the email address ${email}`).waitFor();
  await fillIn(page, { password });
  await heading(page, 'Your account is ready');
  await start(page, 'customer');
  await fillIn(page, { email, password });
  await heading(page, 'Signed in');
  const owner = bearer(arrived().accessToken);
  expect((await owner.get('/tenant')).json()).toMatchObject({ tenant: { name: 'Sam & Sons', plan: 'free' } });

  const colleague = `${newId('user')}@example.com`;
  expect((await owner.post('/invitations', { email: colleague, roles: ['developer'] })).statusCode).toBe(201);
  const theirs = await site.newPage();
  await theirs.goto((await site.emailTo(colleague, /Sam & Sons/)).link);
  await fillIn(theirs, { name: 'Cleo', password });
  await theirs.getByRole('heading', { level: 1 }).waitFor();
  await start(theirs, 'customer');
  await fillIn(theirs, { email: colleague, password });
  await heading(theirs, 'Signed in');
  expect((await bearer(arrived().accessToken).get('/me')).json()).toMatchObject({ roles: ['developer'] });
}, 60_000);

test('403 for a form that another site sends, and an old sign-in page says what to do', async () => {
  const customer = await aCustomer();
  const page = await site.newPage();
  await start(page, 'customer');
  const action = (await page.locator('form').first().getAttribute('action')) ?? '';
  await page.goto(site.example.url); // another origin, although on this machine
  await page.evaluate(`{
    const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(site.apiUrl + action)} });
    for (const [name, value] of Object.entries(${JSON.stringify({ email: customer.email, password })}))
      form.append(Object.assign(document.createElement('input'), { name, value }));
    document.body.append(form);
    form.submit();
  }`);
  const refused = await page.waitForResponse((response) => response.request().method() === 'POST');
  expect(refused.status()).toBe(403);
  expect(refused.headers()['content-type']).toContain('text/html');

  const stale = await site.newPage();
  await stale.goto(site.apiUrl + action.replace('/password', ''));
  await stale.getByRole('heading', { level: 1 }).waitFor();
  expect(await stale.locator('main').innerText()).toMatch(/sign/i);
}, 60_000);
