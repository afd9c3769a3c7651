import { afterAll, beforeAll, inject } from 'vitest';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../apps/server/test/chromium.ts';

export const demo = inject('demo');
export const settings = inject('settings');
export const portalSettings = inject('portal');

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser?.close());

/** A browser with nothing in it, and whatever went wrong in its pages. */
export async function aBrowser(options: BrowserContextOptions = {}) {
  if (!browser) throw new Error('the browser is not there yet');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (/Content Security Policy|Refused to/.test(line.text())) problems.push(line.text());
  });
  return { context, page, problems };
}

interface Person {
  email: string;
  password: string;
}

/** By the form, as people do. */
export async function signIn(page: Page, { email, password }: Person = demo.customer, portalUrl = demo.portalUrl) {
  await page.goto(`${portalUrl}/sign-in`);
  await typePassword(page, { email, password });
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** On the page for it. */
export async function typePassword(page: Page, { email, password }: Person) {
  await page.waitForLoadState('networkidle'); // the form is sent by script
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** From the portal's sign-in by the service's own page, with the password. */
export async function byHostedPage(page: Page, { email, password }: Person) {
  await page.getByRole('link', { name: 'Use a passkey' }).click();
  await page.waitForURL((url) => url.href.startsWith(demo.apiUrl));
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.href.startsWith(demo.portalUrl) && !url.pathname.startsWith('/api/'));
}

export async function signOut(page: Page) {
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: /^Menu of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.pathname === '/sign-in');
}

/** As after some minutes: what is left is the cookie that renews. */
export async function forgetAccess(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const cookies = await page.context().cookies(demo.portalUrl);
  for (const { name } of cookies.filter((cookie) => cookie.name.includes('portal_at')))
    await devTools.send('Network.deleteCookies', { name, url: demo.portalUrl });
}

/** Signed in once and for all pages of a file: passwords are slow on purpose. */
export async function signedIn(
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const opened = await aBrowser(options);
  await signIn(opened.page);
  return opened;
}
