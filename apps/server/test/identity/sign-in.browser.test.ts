import * as oidc from 'openid-client';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { insertAccount, setPassword } from '../../src/features/accounts/accounts.store.ts';
import { createOperator } from '../../src/features/accounts/operators.ts';
import { newId } from '../../src/platform/ids.ts';
import { queueEmail } from '../../src/platform/emails.ts';
import { inPool } from '../../src/platform/pool.ts';
import { as, aTenant, services, type TestTenant } from '../harness.ts';
import { hashOf } from './accounts-fixture.ts';
import { fillIn, heading, openSite, withAuthenticator, type Site } from './browser.ts';

const password = 'violet thunder over Lisbon';
let site: Site;
beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());

async function aCustomer(): Promise<TestTenant> {
  const tenant = await aTenant();
  const hash = await hashOf('customer', password);
  await inPool(services.db, 'customer', (tx) => setPassword(tx, tenant.userId, hash));
  return tenant;
}

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
const lastSignIn = () => site.example.arrivals.at(-1) ?? expect.fail('no sign-in completed');
const bearer = (token: string) => as({ authorization: `Bearer ${token}` }, site.api.app);

async function start(page: Page, pool: 'customer' | 'admin', query = '') {
  await page.goto(`${site.example.url}/start/${pool}${query}`);
}

test('a customer signs in on the hosted page with code and PKCE, refreshes, returns without a prompt and signs out', async () => {
  const customer = await aCustomer();
  const page = await site.newPage();
  await start(page, 'customer');
  await fillIn(page, { email: customer.email, password: 'not the right one' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { password });
  await heading(page, 'Signed in');
  const { accessToken, refreshToken, claims } = lastSignIn();
  expect(claims).toMatchObject({ sub: customer.userId, email: customer.email, email_verified: true });
  expect((await bearer(accessToken).get('/me')).json()).toMatchObject({
    tenantId: customer.tenantId,
    roles: ['owner'],
  });

  const renewed = await oidc.refreshTokenGrant(await site.example.discover('customer'), refreshToken);
  expect((await bearer(renewed.access_token).get('/me')).statusCode).toBe(200);

  await start(page, 'customer');
  await heading(page, 'Signed in'); // without a prompt
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

test('signs in with a password without JavaScript and in German', async () => {
  const customer = await aCustomer();
  const page = await site.newPage({ javaScriptEnabled: false, locale: 'de-DE' });
  await start(page, 'customer');
  await heading(page, 'Anmelden');
  await fillIn(page, { email: customer.email, password });
  await heading(page, 'Signed in');
}, 60_000);

test('an operator needs two-factor authentication, and the token works only for the admin pool', async () => {
  const email = `${newId('user')}@parley.example`;
  const operator = await createOperator(services, { email, name: 'Olga', roles: ['platform_admin'], password });
  const page = await site.newPage();
  await start(page, 'admin');
  await fillIn(page, { email, password });
  await heading(page, 'Two-factor authentication');
  await fillIn(page, { code: '000000' });
  await page.getByRole('alert').waitFor();
  await fillIn(page, { code: codeOf(operator.totpSecret) });
  await heading(page, 'Signed in');
  const { accessToken, pool } = lastSignIn();
  expect(pool).toBe('admin');
  const tenant = await aTenant();
  expect((await bearer(accessToken).get(`/admin/tenants/${tenant.tenantId}`)).statusCode).toBe(200);
  expect((await bearer(accessToken).get('/me')).statusCode).toBe(401);
}, 60_000);

test('a new operator sets a password by email, must add a passkey, and then signs in with it alone', async () => {
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
  expect((await bearer(lastSignIn().accessToken).get('/admin/me')).json()).toMatchObject({ userId, mfaEnabled: true });

  await page.context().clearCookies();
  await device.refuse();
  await start(page, 'admin');
  await page.locator('form[data-passkey=get] button').click();
  await page.locator('form[data-passkey=get] [role=alert]').waitFor();
}, 60_000);

test('a new operator sets up an authenticator app, gets recovery codes and signs in with one', async () => {
  const [userId, email] = [newId('user'), `${newId('user')}@parley.example`];
  const passwordHash = await hashOf('admin', password);
  await inPool(services.db, 'admin', (tx) =>
    insertAccount(tx, { userId, email, name: 'Tom', locale: 'en', passwordHash, platformRoles: ['auditor'] }),
  );
  const page = await site.newPage();
  await start(page, 'admin');
  await fillIn(page, { email, password });
  await heading(page, /Set up two.factor authentication/);
  const pageText = (await page.locator('main').innerText()).replaceAll(/\s/g, '');
  const secret = /[A-Z2-7]{32}/.exec(pageText)?.[0] ?? '';
  await fillIn(page, { code: codeOf(secret) });
  await heading(page, /recovery codes/i);
  const codes = (await page.locator('main').innerText()).match(/\w{4}(-\w{4}){3}/g) ?? [];
  expect(codes).toHaveLength(10);
  await page.getByRole('checkbox').check();
  await page.getByRole('button').last().click();
  await heading(page, 'Signed in');

  for (const [attempt, isAccepted] of [
    [0, true],
    [1, false],
  ] as const) {
    await page.context().clearCookies();
    await start(page, 'admin');
    await fillIn(page, { email, password });
    await page.locator('summary').click();
    await page.fill('#recovery-code', codes[0] ?? '');
    await page.keyboard.press('Enter');
    if (isAccepted) await heading(page, 'Signed in');
    else await page.getByRole('alert').waitFor();
    expect(attempt).toBeLessThan(2);
  }
}, 60_000);

test('a customer adds a passkey in the portal and signs in with it', async () => {
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
  // A string, because it runs in the page, whose types are not available here.
  const credential: unknown = await page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);
  const added = await me.post('/mfa/passkeys', { credential, name: 'Laptop' });
  expect(added.statusCode).toBe(201);
  expect((await me.post('/mfa/passkeys', { credential, name: 'Again' })).statusCode).toBe(401); // a challenge works once

  await start(page, 'customer');
  await page.locator('form[data-passkey=get] button').click();
  await heading(page, 'Signed in');
  expect(lastSignIn().claims?.sub).toBe(customer.userId);

  // With a passkey as the only second factor, a password alone is refused by the API too.
  const again = await site.api.app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { email: customer.email, password },
  });
  expect(again.json()).toMatchObject({ error: { reason: 'mfa_required' } });
}, 60_000);

test('a forgotten password is reset by email, which ends all sessions', async () => {
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
  await page.getByRole('alert').waitFor(); // works once
  await start(page, 'customer');
  await fillIn(page, { email: customer.email, password: 'amber rivers in October' });
  await heading(page, 'Signed in');
}, 60_000);

test('sign-up creates a tenant once the email is confirmed, and an invited colleague can sign in', async () => {
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
  const owner = bearer(lastSignIn().accessToken);
  expect((await owner.get('/tenant')).json()).toMatchObject({ tenant: { name: 'Sam & Sons', plan: 'free' } });

  const colleague = `${newId('user')}@example.com`;
  expect((await owner.post('/invitations', { email: colleague, roles: ['developer'] })).statusCode).toBe(201);
  const colleaguePage = await site.newPage();
  await colleaguePage.goto((await site.emailTo(colleague, /Sam & Sons/)).link);
  await fillIn(colleaguePage, { name: 'Cleo', password });
  await colleaguePage.getByRole('heading', { level: 1 }).waitFor();
  await start(colleaguePage, 'customer');
  await fillIn(colleaguePage, { email: colleague, password });
  await heading(colleaguePage, 'Signed in');
  expect((await bearer(lastSignIn().accessToken).get('/me')).json()).toMatchObject({ roles: ['developer'] });
}, 60_000);

test('returns 403 for a form from another site, and an expired sign-in page explains what to do', async () => {
  const customer = await aCustomer();
  const page = await site.newPage();
  await start(page, 'customer');
  const action = (await page.locator('form').first().getAttribute('action')) ?? '';
  await page.goto(site.example.url); // another origin on the same machine
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
