import { Secret, TOTP } from 'otpauth';
import { expect, inject, test } from 'vitest';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { connect } from '../apps/server/src/platform/db.ts';
import { aBrowser, waitForHydration, demo, signIn, signOut, typePassword } from './browser.ts';
import { aNewcomer } from './people.ts';
import { within } from './steps.ts';

const { portalUrl } = demo;

/** As if the person had authenticated six minutes ago. Sessions are cached for some seconds. */
async function sixMinutesLater(page: Page, email: string) {
  await using db = connect(inject('databaseUrl'), { max: 1 });
  await sql`update customer_pool.sessions set authenticated_at = now() - interval '6 minutes'
    where user_id = (select user_id from customer_pool.people where email = ${email})`.execute(db);
  const status = () =>
    page.evaluate(async () => {
      const init = { method: 'POST', headers: { 'x-requested-with': 'portal' } };
      return (await fetch('/api/mfa/passkeys/options', init)).status;
    });
  await expect.poll(status, within(6)).toBe(403);
}

async function typeCode(page: Page, code: string) {
  await page.getByLabel(/^Code/).fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
}

test('asks for an authenticator code at sign-in and at step-up, accepts a recovery code once, and exposes no half sign-in', async () => {
  const person = await aNewcomer();
  const { page, problems } = await aBrowser();
  const refusals: unknown[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/api/auth/login') && !response.ok())
      void response.json().then((body) => refusals.push(body));
  });
  await signIn(page, person);
  await page.goto(`${portalUrl}/profile`);
  await waitForHydration(page);
  const section = page.getByRole('region', { name: 'Authenticator app' });
  await section.getByRole('button', { name: 'Set up app' }).click();
  const secret = (await section.locator('pre').innerText()).replaceAll(' ', '');
  const app = new TOTP({ secret: Secret.fromBase32(secret) });
  await section.getByLabel(/Enter the six-digit code/).fill(app.generate());
  await section.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await section.getByLabel('Secret value').innerText()).trim().split('\n');
  expect(codes.length).toBe(10);
  await section.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.reload();
  await section.getByText('You have 10 recovery codes left').waitFor();
  expect(await page.content()).not.toContain(codes[0]);

  await signOut(page);
  await typePassword(page, person);
  await typeCode(page, 'abc234');
  await page.getByRole('alert').filter({ hasText: /code/i }).waitFor();
  // No code is accepted twice, so this is the one of the next half minute.
  await typeCode(page, app.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();

  await signOut(page);
  await typePassword(page, person);
  await typeCode(page, codes[0] ?? '');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await signOut(page);
  await typePassword(page, person);
  await typeCode(page, codes[0] ?? '');
  await page.getByRole('alert').filter({ hasText: /code/i }).waitFor();
  await typeCode(page, codes[1] ?? '');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  expect(refusals.length).toBe(3);
  for (const refusal of refusals)
    expect(refusal).toEqual({
      error: {
        code: 'UNAUTHORIZED',
        reason: 'mfa_required',
        message: expect.any(String),
        requestId: expect.any(String),
        details: [{ path: '/methods', message: 'totp,recovery_code' }],
      },
    });

  await page.goto(`${portalUrl}/profile`);
  await section.getByText('You have 8 recovery codes left').waitFor();
  await sixMinutesLater(page, person.email);
  await section.getByRole('button', { name: 'Remove app' }).click();
  await page.getByLabel(/to confirm/).fill('remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click();
  const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await stepUp.getByLabel(/^Password/).fill('not the password');
  await stepUp.getByLabel(/^Code/).fill(codes[2] ?? '');
  await stepUp.getByRole('button', { name: 'Confirm' }).click();
  await stepUp.getByRole('alert').waitFor();
  await section.getByText('On', { exact: true }).waitFor();
  await stepUp.getByLabel(/^Password/).fill(person.password);
  await stepUp.getByRole('button', { name: 'Confirm' }).click();
  await section.getByRole('button', { name: 'Set up app' }).waitFor();
  expect(problems).toEqual([]);
});

test('a passkey added in the profile signs in on the hosted page and confirms a step-up', async () => {
  const person = await aNewcomer();
  const { page, context, problems } = await aBrowser();
  const devTools = await context.newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signIn(page, person);
  await page.goto(`${portalUrl}/profile`);
  await waitForHydration(page);
  await page.getByLabel('Passkey name').fill('Work laptop');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey “Work laptop” added.').waitFor();

  await signOut(page);
  await page.goto(`${portalUrl}/sign-in?next=/profile`);
  await typePassword(page, person);
  await page.getByRole('alert').getByText('Your account is protected by a passkey.').waitFor();
  await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${portalUrl}/profile`);
  await page.getByRole('region', { name: 'Sessions table' }).getByText('passkey', { exact: true }).waitFor();

  await waitForHydration(page);
  await sixMinutesLater(page, person.email);
  await page.getByRole('button', { name: 'Remove passkey Work laptop' }).click();
  await page.getByLabel(/to confirm/).fill('Work laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Passkey “Work laptop” removed.').waitFor();
  expect(problems).toEqual([]);
});
