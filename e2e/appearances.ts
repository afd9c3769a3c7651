import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { findBarriers } from '../apps/server/test/axe.ts';
import { repository } from '../tools/demo/processes.ts';
import { isFull } from '../tools/testing/size.ts';
import { alive } from './browser.ts';

// A page as somebody sees it: nothing that axe objects to, nothing wider than the screen. With `LOOKS=some` it leaves
// pictures to look at.

const pictures = join(repository, '.stack/looks');
mkdirSync(pictures, { recursive: true });

const [desk, phone] = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];
const appearances = [
  { name: 'desk-light', viewport: desk, colorScheme: 'light' },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark' },
  { name: 'desk-dark', viewport: desk, colorScheme: 'dark' },
  { name: 'phone-light', viewport: phone, colorScheme: 'light' },
] as const;
export type Appearance = (typeof appearances)[number];

/** In full all of them. Per commit one, by turns: four pages in a row meet all four. */
export const appearancesOf = (turn: number): readonly Appearance[] =>
  isFull ? appearances : [appearances[turn % appearances.length]!];

export type Paths = readonly (readonly [picture: string, path: () => string])[];
/** Pages of a list, each with what it is shown in. */
export const shown = (pages: Paths) =>
  pages.flatMap(([picture, path], turn) => appearancesOf(turn).map((appearance) => ({ picture, path, appearance })));

/** A page by its address, in one of them. */
export async function look(page: Page, url: string, picture: string, appearance: Appearance) {
  await show(page, appearance);
  await page.goto(url);
  await alive(page);
  await findNothing(page, `${picture}-${appearance.name}`, appearance);
}

/** What a story has come to, such as an open dialog; and then as it was. */
export async function lookHere(page: Page, picture: string) {
  const before = page.viewportSize();
  for (const appearance of appearancesOf(picture.length)) {
    await show(page, appearance);
    await findNothing(page, `${picture}-${appearance.name}`, appearance);
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

async function show(page: Page, { viewport, colorScheme }: Appearance) {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

async function findNothing(page: Page, picture: string, appearance: Appearance) {
  await atRest(page, appearance);
  await takePicture(page, picture);
  const { violations } = await findBarriers(page, { exclude: 'iframe' });
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
  expect(found, picture).toEqual([]);
  expect(await page.locator('h1').count(), picture).toBe(1);
  // To fit is quickly seen, so it is seen in both widths.
  for (const viewport of [appearance.viewport, ...(isFull ? [] : [appearance.viewport === desk ? phone : desk])]) {
    await page.setViewportSize(viewport);
    await atRest(page, { ...appearance, viewport });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, `${picture} is wider than a screen of ${viewport.width}`).toBeLessThanOrEqual(0);
  }
}

/** For whoever wants to look. */
export async function takePicture(page: Page, picture: string) {
  if (process.env['LOOKS']) await page.screenshot({ path: join(pictures, `${picture}.png`), fullPage: true });
}

/** Size and colours are taken on, and nothing moves any more that ends by itself. */
async function atRest(page: Page, { viewport, colorScheme }: { viewport: { width: number }; colorScheme: string }) {
  const isAtRest = () =>
    page.evaluate(
      async ([width, scheme]) => {
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        const { mantineColorScheme = scheme } = document.documentElement.dataset;
        const isMoving = document
          .getAnimations()
          .some(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
        return innerWidth === width && mantineColorScheme === scheme && !isMoving;
      },
      [viewport.width, colorScheme] as const,
    );
  await vi.waitUntil(isAtRest, { timeout: 60_000, interval: 20 });
}
