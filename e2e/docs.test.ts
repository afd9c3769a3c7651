import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBarriers } from '../apps/server/test/axe.ts';
import { repository } from '../tools/demo/processes.ts';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo } from './browser.ts';
import { inAppearances, takeScreenshot } from './appearances.ts';

// The documentation in each appearance, and its links.

/** One for each appearance. */
const paths = ['/', '/quick-start/', '/limits/', '/no/such/page/'];
/** Long pages, which axe checks for up to 15 seconds each: only in a full run. */
const longPaths = [
  '/reference/errors/',
  '/guides/verify-webhooks/',
  '/guides/private-actions/',
  '/reference/api/webhooks/',
];

test.each(inAppearances([...paths, ...(isFull ? longPaths : [])].map((path) => [path, () => path])))(
  '$screenshot passes axe, fits and loads nothing from other hosts ($appearance.name)',
  async ({ screenshot: path, appearance: { name, viewport, colorScheme } }) => {
    const { context, page, problems } = await aBrowser({ viewport, colorScheme });
    const external: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(demo.docsUrl) && !request.url().startsWith('data:')) external.push(request.url());
    });
    await page.goto(demo.docsUrl + path);
    await takeScreenshot(page, `docs${path.replaceAll('/', '-')}${name}`);
    const { violations } = await findBarriers(page);
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
    for (const width of [viewport.width, 360, 1440]) {
      await page.setViewportSize({ ...viewport, width });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide, `wider than a screen of ${width}`).toBeLessThanOrEqual(0);
    }
    expect({ problems, external }).toEqual({ problems: [], external: [] });
    await context.close();
  },
);

test('finds the text of a page by search, without requests to other hosts', async () => {
  const { context, page, problems } = await aBrowser();
  await page.goto(`${demo.docsUrl}/quick-start/`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill('origin_not_allowed');
  await page.getByRole('link', { name: 'Errors' }).first().waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('every internal link leads to an existing page and anchor', () => {
  const root = join(repository, 'apps/docs/dist');
  const pages = new Map(
    globSync('**/*.html', { cwd: root }).map((file) => [
      `/${file.replace(/index\.html$/, '')}`,
      readFileSync(join(root, file), 'utf8'),
    ]),
  );
  const broken = [...pages].flatMap(([from, html]) =>
    [...html.matchAll(/href="(\/[^"#]*)?(#[^"]*)?"/g)].flatMap(([, path = from, anchor = '']) => {
      if (/\.\w+$/.test(path)) return []; // a file, not a page
      const target = pages.get(path);
      if (target === undefined) return [`${from} → ${path}`];
      return anchor === '' || anchor === '#_top' || target.includes(`id="${anchor.slice(1)}"`)
        ? []
        : [`${from} → ${path}${anchor}`];
    }),
  );
  expect(pages.size).toBeGreaterThan(30);
  expect([...new Set(broken)]).toEqual([]);
});
