import { mkdirSync } from 'node:fs';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { expect, inject, test } from 'vitest';
import type { Page } from 'playwright-core';
import { connect } from '../apps/server/src/platform/db.ts';
import { aBrowser, waitForHydration, demo, signIn } from './browser.ts';
import { aNewcomer, linkFor, post } from './people.ts';

const { portalUrl } = demo;
const password = 'a lantern in the harbour';

/** An owner, and a member with only a password. */
async function anOwnerAndAMember() {
  const owner = await aNewcomer();
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', owner);
  const email = `mia-${crypto.randomUUID().slice(0, 8)}@northlight.example`;
  await post('/invitations', { email, roles: ['agent'] }, { authorization: `Bearer ${accessToken}` });
  const token = (await linkFor(email)).searchParams.get('token');
  await post('/auth/invitations/accept', { token, name: 'Mia Member', password });
  return { owner, member: { email, password } };
}

async function setUpApp(page: Page) {
  const section = page.getByRole('region', { name: 'Authenticator app' });
  await section.getByRole('button', { name: 'Set up app' }).click();
  const secret = (await section.locator('pre').innerText()).replaceAll(' ', '');
  await section.getByLabel(/Enter the six-digit code/).fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await section.getByRole('button', { name: 'Turn on' }).click();
  await section.getByRole('button', { name: 'I’ve saved it' }).click();
}

/** Saved only with LOOKS, for review. */
async function takeScreenshots(page: Page, name: string) {
  if (!process.env['LOOKS']) return;
  mkdirSync('../.stack/looks', { recursive: true });
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `../.stack/looks/${name}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('an owner requires two-factor authentication once they have it, and a member is led to set it up', async () => {
  const { owner, member } = await anOwnerAndAMember();
  const [theirs, ours] = [await aBrowser(), await aBrowser()];
  await signIn(ours.page, owner);
  await signIn(theirs.page, member);
  await ours.page.goto(`${portalUrl}/organisation/settings`);
  await waitForHydration(ours.page);
  const security = ours.page.getByRole('region', { name: 'Security' });
  const required = security.getByRole('switch', { name: 'Require two-factor authentication' });
  await required.click({ force: true });
  await security.getByRole('alert').getByText('Set up two-factor authentication for your own account').waitFor();
  expect(await required.isChecked()).toBe(false);
  await security.getByRole('link', { name: 'Set up two-factor authentication' }).click();
  await setUpApp(ours.page);
  await ours.page.goto(`${portalUrl}/organisation/settings`);
  await waitForHydration(ours.page);
  await required.click({ force: true });
  await expect.poll(() => required.isChecked()).toBe(true);

  await expect
    .poll(async () => {
      await theirs.page.goto(portalUrl);
      return new URL(theirs.page.url()).pathname;
    })
    .toBe('/two-factor');
  await waitForHydration(theirs.page);
  await theirs.page.getByText('requires two-factor authentication').waitFor();
  await takeScreenshots(theirs.page, 'two-factor-missing');
  await theirs.page.goto(`${portalUrl}/conversations`);
  await theirs.page.waitForURL('**/two-factor');
  await waitForHydration(theirs.page);
  await setUpApp(theirs.page);
  await theirs.page.getByRole('heading', { name: 'Two-factor authentication is on' }).waitFor();
  await theirs.page.getByRole('link', { name: 'Continue' }).click();
  await theirs.page.getByRole('heading', { name: 'Welcome' }).waitFor();
  expect([...ours.problems, ...theirs.problems]).toEqual([]);
});

test('saves domains, IP ranges and a session lifetime, names invalid values and refuses to lock the owner out', async () => {
  const { owner } = await anOwnerAndAMember();
  const { page, problems } = await aBrowser();
  await signIn(page, owner);
  await page.goto(`${portalUrl}/organisation/settings`);
  await waitForHydration(page);
  const security = page.getByRole('region', { name: 'Security' });
  const domains = security.getByLabel('Allowed email domains');
  await domains.fill('Example.com\nco.uk');
  await security.getByRole('button', { name: 'Save domains' }).click();
  await security.getByText('Check “co.uk”.').waitFor();
  await takeScreenshots(page, 'security-wrong');
  await domains.fill('Example.com');
  await security.getByRole('button', { name: 'Save domains' }).click();
  await security.getByText('2 members have other email domains and keep access.').waitFor();
  expect(await domains.inputValue()).toBe('example.com');

  await security.getByLabel('IP addresses for members').fill('203.0.113.0/24');
  await security.getByRole('button', { name: 'Save member IP addresses' }).click();
  await security.getByRole('alert').getByText('you would lock yourself out').waitFor();
  await security.getByLabel('IP addresses for server keys').fill('203.0.113.7');
  await security.getByRole('button', { name: 'Save server key IP addresses' }).click();
  await page.getByText('Saved.').last().waitFor();
  await security.getByLabel('Session lifetime').first().click();
  await page.getByRole('option', { name: '8 hours' }).click();
  await expect.poll(() => security.getByLabel('Session lifetime').first().inputValue()).toBe('8 hours');
  await page.reload();
  await waitForHydration(page);
  expect(await security.getByLabel('Session lifetime').first().inputValue()).toBe('8 hours');
  expect(await security.getByLabel('IP addresses for server keys').inputValue()).toBe('203.0.113.7/32');
  await takeScreenshots(page, 'security');

  await using db = connect(inject('databaseUrl'), { max: 1 });
  await sql`update customer_pool.sessions set authenticated_at = now() - interval '9 hours'
    where user_id = (select user_id from customer_pool.people where email = ${owner.email})`.execute(db);
  await expect
    .poll(async () => {
      await page.goto(`${portalUrl}/organisation`);
      return new URL(page.url()).pathname;
    })
    .toBe('/sign-in');
  await page.getByText('You were signed out because your organisation limits how long a session lasts.').waitFor();
  expect(problems).toEqual([]);
});
