import { expect, onTestFinished, test } from 'vitest';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { freePort } from '../tools/stack/index.ts';
import {
  aBrowser,
  waitForHydration,
  byHostedPage,
  demo,
  clearAccessToken,
  portalSettings,
  apiEntry,
  settings,
  signIn,
  signOut,
  typePassword,
} from './browser.ts';
import { aNewcomer } from './people.ts';
import { within } from './steps.ts';

const { portalUrl, apiUrl } = demo;

const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies(portalUrl)).map(({ name, value }) => `${name}=${value}`).join('; ');

/** Where a page redirects with these cookies. */
const redirectOf = async (cookie: string) =>
  (await fetch(`${portalUrl}/profile`, { headers: { cookie }, redirect: 'manual' })).headers.get('location');

test('the hosted page returns to the requested page without a code in the history, the session is renewed, and sign-out invalidates old cookies within 5 s', async () => {
  const person = await aNewcomer();
  const { page, context, problems } = await aBrowser();
  const authRequest = page.waitForRequest((request) => request.url().startsWith(`${apiUrl}/pools/customer/`));
  await page.goto(`${portalUrl}/sign-in?next=/profile`);
  await byHostedPage(page, person);
  const { searchParams } = new URL((await authRequest).url());
  expect(Object.fromEntries(searchParams)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' });
  await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
  expect(page.url()).toBe(`${portalUrl}/profile`);

  const devTools = await context.newCDPSession(page);
  const { entries } = await devTools.send('Page.getNavigationHistory');
  expect(entries.map(({ url }) => url).filter((url) => /[?&]code=/.test(url))).toEqual([]);

  const first = await cookiesOf(context);
  await clearAccessToken(page);
  expect(await cookiesOf(context)).not.toContain('portal_at=');
  await page.goto(`${portalUrl}/profile`);
  await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
  const second = await cookiesOf(context);
  expect(second).toContain('portal_at=');
  expect(second.match(/portal_rt=[^;]*/)?.[0]).not.toBe(first.match(/portal_rt=[^;]*/)?.[0]);
  expect(await redirectOf(second)).toBeNull();

  await signOut(page);
  for (const old of [first, second])
    await expect.poll(() => redirectOf(old), within(5)).toBe('/sign-in?next=%2Fprofile');
  await page.goto(`${portalUrl}/profile`);
  expect(page.url()).toBe(`${portalUrl}/sign-in?next=%2Fprofile`);

  await byHostedPage(page, person);
  await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
  expect(problems).toEqual([]);
});

/** Sessions are cached for some seconds: until then a click still succeeds. */
const untilRefused = (context: BrowserContext) =>
  expect.poll(async () => redirectOf(await cookiesOf(context)), within(5)).toBe('/sign-in?next=%2Fprofile');

/** The page polls, so that it may have left for the sign-in before the click. */
const clickUnlessSignedOut = (page: Page, target: Locator) =>
  Promise.race([target.click(), page.waitForURL((url) => url.pathname === '/sign-in')]);

test('a new password and an ended session redirect the other browser to sign-in within 5 s, and back to its page', async () => {
  const person = await aNewcomer();
  const [here, there] = [await aBrowser(), await aBrowser()];
  await Promise.all([signIn(here.page, person), signIn(there.page, person)]);
  await there.page.goto(`${portalUrl}/organisation`);
  await here.page.goto(`${portalUrl}/profile`);
  await waitForHydration(here.page);
  const newPassword = 'a ferry without a timetable';
  await here.page.getByLabel(/^Current password/).fill(person.password);
  await here.page.getByLabel(/^New password/).fill(newPassword);
  await here.page.getByRole('button', { name: 'Change password' }).click();
  await here.page.getByText('Password changed.').waitFor();
  const outAt = `${portalUrl}/sign-in?next=%2Forganisation`;
  await expect.poll(async () => (await there.page.reload(), there.page.url()), within(5)).toBe(outAt);
  const notice = 'You were signed out because your session expired or was ended on another device.';
  await there.page.getByText(notice).waitFor();
  await typePassword(there.page, { ...person, password: newPassword });
  await there.page.waitForURL(`${portalUrl}/organisation`);
  await waitForHydration(there.page);

  await here.page.reload();
  await waitForHydration(here.page);
  await here.page.getByRole('button', { name: /^End session:/ }).click();
  await here.page.getByText('Session ended.').waitFor();
  await untilRefused(there.context);
  // By a link within the portal, and then by a form.
  await clickUnlessSignedOut(there.page, there.page.getByRole('link', { name: 'Audit log' }));
  await there.page.waitForURL((url) => url.pathname === '/sign-in');
  const next = new URL(there.page.url()).searchParams.get('next');
  expect(next).toMatch(/^\/organisation(\/audit)?$/);
  await there.page.getByText(notice).waitFor();
  await typePassword(there.page, { ...person, password: newPassword });
  await there.page.waitForURL(portalUrl + next);
  await there.page.goto(`${portalUrl}/organisation/settings?from=here`);
  await waitForHydration(there.page);

  await here.page.reload();
  await waitForHydration(here.page);
  await here.page.getByRole('button', { name: 'End other session' }).click();
  await here.page.getByText('1 session ended.').waitFor();
  await untilRefused(there.context);
  await clickUnlessSignedOut(there.page, there.page.getByRole('button', { name: 'Save name' }));
  await there.page.waitForURL(`${portalUrl}/sign-in?next=%2Forganisation%2Fsettings%3Ffrom%3Dhere`);
  await there.page.getByText(notice).waitFor();
  // Someone who signs out themselves knows why.
  await signOut(here.page);
  await here.page.getByLabel('Email').waitFor();
  expect(await here.page.getByText('You were signed out').count()).toBe(0);
  expect([...here.problems, ...there.problems]).toEqual([]);
});

test('offers no sign-up where it is closed, and says how to get access', async () => {
  const [port, portalPort] = [await freePort(), await freePort()];
  const [closedUrl, closedPortal] = [`http://localhost:${port}`, `http://localhost:${portalPort}`];
  const api = runEntry(apiEntry, {
    ...settings,
    SIGNUP: 'off',
    PORT: String(port),
    PUBLIC_URL: closedUrl,
  });
  onTestFinished(api.stop);
  const portalUrls = { PORT: String(portalPort), PORTAL_URL: closedPortal, API_URL: closedUrl };
  const portal = runEntry('apps/portal/src/server.ts', { ...portalSettings, ...portalUrls });
  onTestFinished(portal.stop);
  await waitFor(`${closedUrl}/health/ready`);
  await waitFor(`${closedPortal}/health/live`);
  const { page } = await aBrowser();
  await page.goto(`${closedPortal}/sign-in`);
  await page.getByLabel('Email').waitFor();
  expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
  await page.goto(`${closedPortal}/sign-up`);
  await page.getByText(/Ask someone in your organisation to invite you/).waitFor();
  await page.goto(`${portalUrl}/sign-in`);
  await page.getByRole('link', { name: 'Create an account' }).waitFor();
});
