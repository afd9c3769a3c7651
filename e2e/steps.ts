import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { waitForHydration, demo } from './browser.ts';

export const aName = (what: string) => `${what} ${crypto.randomUUID().slice(0, 8)}`;

/** Opens a page of the portal and waits for hydration. */
export async function open(page: Page, path: string, portalUrl = demo.portalUrl) {
  await page.goto(portalUrl + path);
  await waitForHydration(page);
}

/** What the product promises within seconds. Exact in a full run; per commit the machine is busy. */
export const within = (seconds: number) => ({ timeout: seconds * (isFull ? 1_000 : 4_000), interval: 100 });

export const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true });
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const pressIn = (page: Page, dialog: string | RegExp, name: string) =>
  page.getByRole('dialog', { name: dialog }).getByRole('button', { name, exact: true }).click();

/** The secret, which is shown once. */
export async function shownSecret(page: Page): Promise<string> {
  await page.getByText('Copy it now. You won’t be able to see it again.').waitFor();
  return page.getByLabel('Secret value').innerText();
}
