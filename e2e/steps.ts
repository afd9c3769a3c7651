import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { alive, demo } from './browser.ts';

export const aName = (what: string) => `${what} ${crypto.randomUUID().slice(0, 8)}`;

/** A page of the portal, once its scripts are alive. */
export async function open(page: Page, path: string, portalUrl = demo.portalUrl) {
  await page.goto(portalUrl + path);
  await alive(page);
}

/** What the product promises within seconds. To the email in a full run; per commit the machine does much else at once. */
export const within = (seconds: number) => ({ timeout: seconds * (isFull ? 1_000 : 4_000), interval: 100 });

export const part = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true });
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const pressIn = (page: Page, dialog: string | RegExp, name: string) =>
  page.getByRole('dialog', { name: dialog }).getByRole('button', { name, exact: true }).click();

/** What the panel shows this once. */
export async function theSecret(page: Page): Promise<string> {
  await page.getByText('Copy it now. You won’t be able to see it again.').waitFor();
  return page.getByLabel('Secret value').innerText();
}
