import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { findBarriers } from '../apps/server/test/axe.ts';
import { repository } from '../tools/demo/processes.ts';
import { isFull } from '../tools/testing/size.ts';
import { waitForHydration } from './browser.ts';

// Checks a page in each appearance: no axe violation, nothing wider than the screen. With `LOOKS=some` it saves
// screenshots.

const screenshots = join(repository, '.stack/looks');
mkdirSync(screenshots, { recursive: true });

const [desktop, phone] = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];
const appearances = [
  { name: 'desktop-light', viewport: desktop, colorScheme: 'light' },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark' },
  { name: 'desktop-dark', viewport: desktop, colorScheme: 'dark' },
  { name: 'phone-light', viewport: phone, colorScheme: 'light' },
] as const;
export type Appearance = (typeof appearances)[number];

/** All of them in a full run. Per commit one in turn: four pages in a row cover all four. */
export const appearancesOf = (turn: number): readonly Appearance[] =>
  isFull ? appearances : [appearances[turn % appearances.length]!];

export type Paths = readonly (readonly [screenshot: string, path: () => string])[];
/** The pages, each with the appearances to check it in. */
export const inAppearances = (pages: Paths) =>
  pages.flatMap(([screenshot, path], turn) =>
    appearancesOf(turn).map((appearance) => ({ screenshot, path, appearance })),
  );

/** Those that are opened in a browser; `textOf` reads the others. All of them in a full run, per commit every `nth`. */
export const someOf = (pages: Paths, nth: number): Paths => (isFull ? pages : pages.filter((_, n) => n % nth === 0));

/** The text of a page's main part, as the server sends it: without a browser. */
export async function textOf(page: Page, url: string): Promise<string> {
  const response = await page.request.get(url);
  const [main = ''] = /<main[\s\S]*<\/main>/.exec(await response.text()) ?? [];
  return main
    .replaceAll(/<!--.*?-->|<(script|style)[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*aria-label="([^"]*)"[^>]*>|<[^>]*>/g, ' $1 ')
    .replaceAll(/\s+/g, ' ');
}

/** Opens a URL and checks it in one appearance. */
export async function checkPage(page: Page, url: string, screenshot: string, appearance: Appearance) {
  await setAppearance(page, appearance);
  await page.goto(url);
  await waitForHydration(page);
  await expectAccessible(page, `${screenshot}-${appearance.name}`, appearance);
}

/** Checks the current state of a page, such as an open dialog, and restores the appearance. */
export async function checkCurrentPage(page: Page, screenshot: string) {
  const before = page.viewportSize();
  for (const appearance of appearancesOf(screenshot.length)) {
    await setAppearance(page, appearance);
    await expectAccessible(page, `${screenshot}-${appearance.name}`, appearance);
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

async function setAppearance(page: Page, { viewport, colorScheme }: Appearance) {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

async function expectAccessible(page: Page, screenshot: string, appearance: Appearance) {
  await waitUntilStable(page, appearance);
  await takeScreenshot(page, screenshot);
  const { violations } = await findBarriers(page, { exclude: 'iframe' });
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
  expect(found, screenshot).toEqual([]);
  expect(await page.locator('h1').count(), screenshot).toBe(1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide, `${screenshot} is wider than a screen of ${appearance.viewport.width}`).toBeLessThanOrEqual(0);
}

/** Saved only with LOOKS, for review. */
export async function takeScreenshot(page: Page, screenshot: string) {
  if (process.env['LOOKS']) await page.screenshot({ path: join(screenshots, `${screenshot}.png`), fullPage: true });
}

/** Waits until size and colours apply and finite animations have ended. */
async function waitUntilStable(
  page: Page,
  { viewport, colorScheme }: { viewport: { width: number }; colorScheme: string },
) {
  const isStable = () =>
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
  await vi.waitUntil(isStable, { timeout: 60_000, interval: 20 });
}
