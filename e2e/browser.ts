import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, TestRunner, vi } from 'vitest';
import { request, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { launchChromium } from '../apps/server/test/chromium.ts';
import { repository } from '../tools/demo/processes.ts';

export const demo = inject('demo');
export const settings = inject('settings');
export const portalSettings = inject('portal');

/** For an API that a test starts itself. The build, if there is one, starts twice as fast as the source. */
const builtApi = 'apps/server/dist/api.js';
export const apiEntry = existsSync(join(repository, builtApi)) ? builtApi : 'apps/server/src/api.ts';

/** One per worker: starting a browser takes longer than most pages. */
const browser = await launchChromium();

/** A fresh browser context, and the errors of its pages. One that a hook opens must be closed: its pages keep sending requests. */
export async function aBrowser(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60_000); // as vitest.config.ts says
  if (TestRunner.getCurrentTest()) onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (/Content Security Policy|Refused to/.test(line.text())) problems.push(line.text());
  });
  return { context, page, problems };
}

/** The tenant's own server, with a self-signed certificate. */
export const backend = await request.newContext({ ignoreHTTPSErrors: true });

interface Person {
  email: string;
  password: string;
}

/** As the portal's own pages send it. */
export const postToPortal = (page: Page, url: string, data: object) =>
  page.context().request.post(url, { data, headers: { 'x-requested-with': 'portal', origin: new URL(url).origin } });

/** Without the form, which has its own tests. */
export async function signIn(page: Page, { email, password }: Person = demo.customer, portalUrl = demo.portalUrl) {
  const response = await postToPortal(page, `${portalUrl}/api/auth/login`, { email, password });
  expect(response.status(), await response.text()).toBe(200);
}

/** By the form, as people do. */
export async function signInByForm(page: Page, person: Person = demo.customer, portalUrl = demo.portalUrl) {
  await page.goto(`${portalUrl}/sign-in`);
  await typePassword(page, person);
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** As when the tab is sent to the background, or back. */
export const setVisibility = (page: Page, state: DocumentVisibilityState) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

/** Waits for hydration: until then React handles no input. */
export async function waitForHydration(page: Page) {
  // Evaluation fails while the page navigates.
  const check = () => page.evaluate(becomesHydrated).catch(() => false);
  await vi.waitUntil(check, { timeout: 60_000, interval: 20 });
}
/** Looks within the page, up to a second: a question from outside costs more than the answer. */
async function becomesHydrated() {
  const isHydrated = () => {
    const [root] = Object.entries(document).flatMap(([name, value]) =>
      name.startsWith('__reactContainer$') ? [value] : [],
    );
    const { stateNode } = (root ?? {}) as { stateNode?: { current: { memoizedState?: { isDehydrated: boolean } } } };
    return stateNode?.current.memoizedState?.isDehydrated === false;
  };
  for (let n = 0; n < 50 && !isHydrated(); n++) await new Promise((later) => setTimeout(later, 20));
  return isHydrated();
}

/** On the sign-in page. */
export async function typePassword(page: Page, { email, password }: Person) {
  await waitForHydration(page); // the form is sent by script
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** From the portal's sign-in through the hosted page, with the password. */
export async function byHostedPage(page: Page, { email, password }: Person) {
  await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL((url) => url.href.startsWith(demo.apiUrl));
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.href.startsWith(demo.portalUrl) && !url.pathname.startsWith('/api/'));
}

export async function signOut(page: Page) {
  await waitForHydration(page);
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.pathname === '/sign-in');
}

/** As after the access token's expiry: only the refresh cookie is left. */
export async function clearAccessToken(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const cookies = await page.context().cookies(demo.portalUrl);
  for (const { name } of cookies.filter((cookie) => cookie.name.includes('portal_at')))
    await devTools.send('Network.deleteCookies', { name, url: demo.portalUrl });
}

/** Signed in once for all pages of a file: password hashing is slow on purpose. */
export async function signedIn(
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const opened = await aBrowser(options);
  await signIn(opened.page);
  return opened;
}
