import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { repository } from '../tools/demo/processes.ts';

// A page as somebody sees it: nothing that axe objects to, nothing wider than the screen. With `LOOKS=some` or `all` it
// leaves pictures to look at.

export const pictures = join(repository, '.stack/looks');
mkdirSync(pictures, { recursive: true });

const [desk, phone] = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];
/** Both widths and both schemes occur in two of them; all four on request. */
const everyLook = [
  { name: 'desk-light', viewport: desk, colorScheme: 'light' },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark' },
  { name: 'desk-dark', viewport: desk, colorScheme: 'dark' },
  { name: 'phone-light', viewport: phone, colorScheme: 'light' },
] as const;
export type Look = (typeof everyLook)[number];
export const looks: readonly Look[] = process.env['LOOKS'] === 'all' ? everyLook : everyLook.slice(0, 2);

/** Axe takes longer than all else. A page that is shown in two looks is read by it in one of them, by turns; with `LOOKS` in each. */
function isRead(picture: string) {
  const [, page = '', width] = /^(.*)-(desk|phone)-(?:light|dark)$/.exec(picture) ?? [];
  return process.env['LOOKS'] !== undefined || width === undefined || (page.length % 2 === 0) === (width === 'desk');
}

/** A page by its address, as the browser is set. */
export async function look(page: Page, url: string, picture: string) {
  await page.goto(url);
  await page.waitForLoadState('load');
  await page.waitForTimeout(200); // what begins after the page is there
  await findNothing(page, picture, isRead(picture));
}

/** What a story has come to, such as an open dialog: in each look, and then as it was. */
export async function lookHere(page: Page, picture: string) {
  const before = page.viewportSize();
  for (const { name, viewport, colorScheme } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300); // what moves has come to rest
    await findNothing(page, `${picture}-${name}`, true);
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

async function findNothing(page: Page, picture: string, byAxe: boolean) {
  if (process.env['LOOKS']) await page.screenshot({ path: join(pictures, `${picture}.png`), fullPage: true });
  const violations = byAxe ? (await new AxeBuilder({ page }).exclude('iframe').analyze()).violations : [];
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
  expect(found, picture).toEqual([]);
  const { wide, headings } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - innerWidth,
    headings: document.querySelectorAll('h1').length,
  }));
  expect(wide, `${picture} is wider than the screen`).toBeLessThanOrEqual(0);
  expect(headings, picture).toBe(1);
}
