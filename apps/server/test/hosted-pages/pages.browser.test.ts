import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { languageLinks, renderPage, textsOf } from './every-page.ts';
import { samples } from './page-samples.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { findBarriers } from '../axe.ts';
import { launchChromium } from '../chromium.ts';

// Much to look at, and a busy machine may be slow with it.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const names = Object.keys(samples);
const pools = ['customer', 'admin'] as const;
/** By path: every page, in both pools and every language, with and without an error. */
const cases = new Map<string, ReturnType<typeof renderPage>>();
for (const pool of pools)
  for (const { locale } of languageLinks(() => ''))
    for (const [name, { page, error }] of Object.entries(samples))
      for (const shown of error ? [undefined, error] : [undefined]) {
        const links = languageLinks((other) => `?lang=${other}`);
        const parts = page(textsOf(locale), shown);
        const path = `/${pool}/${locale}/${name}${parts.hasScript ? '/script' : ''}${shown ? '/error' : ''}`;
        cases.set(path, renderPage({ ...parts, pool, locale, languageLinks: links, formOrigins: [] }));
      }

const server = createServer((request, response) => {
  const found = cases.get(request.url ?? '');
  response.writeHead(found ? 200 : 404, found?.headers).end(found?.html);
});
let browser: Browser;
let origin: string;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
  // Each page in every pool and language; per commit in one of each, by turns, so that all of them are met.
  const turnOf = (path: string) => `/${path.split('/').slice(3).join('/')}`;
  const turns = [...new Set([...cases.keys()].map(turnOf))];
  const placesOf = (turn: string) => [...cases.keys()].filter((path) => turnOf(path) === turn);
  const met = isFull ? [...cases.keys()] : turns.map((turn, n) => placesOf(turn)[n % placesOf(turn).length]);
  await visitAll(
    (path) => met.includes(path),
    { hasTouch: true },
    async (page, path) => {
      found.policy.push(...(await lookAtPolicy(page, path)));
      if (path.endsWith('/error')) found.errors.push(...(await lookAtError(page, path)));
      // The order is the same in every pool and language.
      if (!isFull || path.startsWith('/customer/en/')) found.tabs.push(...(await lookAtTabs(page, path)));
      found.narrow.push(...(await lookAtNarrow(page, path)));
    },
  );
});

afterAll(async () => {
  await browser.close();
  server.close();
});

/** Two windows share the cases, so that no core of the machine waits. */
async function visitAll(
  isMet: (path: string) => boolean,
  options: BrowserContextOptions,
  visit: (page: Page, path: string) => Promise<void>,
) {
  const waiting = [...cases.keys()].filter(isMet);
  const work = async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (let path = waiting.shift(); path; path = waiting.shift()) await visit(page, path);
    await context.close();
  };
  await Promise.all([work(), work()]);
}

/** What is wrong, by what was looked at. To load a page costs most, so each is loaded once for all of them. */
const found: Record<'policy' | 'errors' | 'tabs' | 'narrow', string[]> = {
  policy: [],
  errors: [],
  tabs: [],
  narrow: [],
};

test('a page asks for nothing but itself, breaks none of its policy, and looks and runs as meant', () => {
  expect(found.policy).toEqual([]);
});

async function lookAtPolicy(page: Page, path: string): Promise<string[]> {
  const heard: string[] = [];
  const hear = (message: { text(): string }) => heard.push(`${path} says: ${message.text()}`);
  const count = (request: { url(): string }) => heard.push(`${path} asks for ${request.url()}`);
  page.on('console', hear).on('request', count);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(origin + path);
  const facts = await page.evaluate<Record<string, unknown>>(`({
    lang: document.documentElement.lang,
    headings: document.querySelectorAll('h1').length,
    mains: document.querySelectorAll('main').length,
    isStyled: getComputedStyle(document.body).display === 'flex',
    hasRun: Boolean(document.querySelector('form[data-passkey]')?.checkVisibility()),
    unlabelled: [...document.querySelectorAll('input:not([type=hidden], [hidden])')].filter((input) => !input.labels.length).length,
  })`);
  page.off('console', hear).off('request', count);
  const hasRun = path.includes('/script');
  const meant = { lang: path.split('/')[2], headings: 1, mains: 1, isStyled: true, hasRun, unlabelled: 0 };
  const itself = heard.indexOf(`${path} asks for ${origin}${path}`);
  return [
    ...heard.toSpliced(itself, 1),
    ...(JSON.stringify(facts) === JSON.stringify(meant) ? [] : [`${path} is ${JSON.stringify(facts)}`]),
  ];
}

test('an error has the focus, at the field it is about, which is described by it', () => {
  expect(found.errors).toEqual([]);
});

async function lookAtError(page: Page, path: string): Promise<string[]> {
  // The page sets it when it has loaded, which may be a moment ago. It is asked for from outside: the policy allows no eval.
  const isSet = () => page.evaluate<boolean>('document.activeElement !== document.body');
  await vi.waitUntil(isSet, { timeout: 10_000 }).catch(() => {});
  return page.evaluate(`(() => {
    const summary = document.querySelector('main > [role=alert]');
    const faulty = document.querySelector('[aria-invalid=true]');
    const focused = document.activeElement;
    const described = faulty?.getAttribute('aria-describedby')?.split(' ') ?? [];
    return [
      !summary?.innerText.trim() && 'no summary',
      focused !== (faulty ?? summary) && 'focus at ' + focused.outerHTML,
      faulty && !described.includes(summary?.id) && 'not described',
      faulty && !faulty.checkVisibility() && 'not to be seen',
    ].filter(Boolean).map((wrong) => '${path}: ' + wrong);
  })()`);
}

test('Tab reaches everything from top to bottom, and shows where it is', () => {
  expect(found.tabs).toEqual([]);
});

/** Opens what can be opened. The order is by place on the page, not by source. */
async function lookAtTabs(page: Page, path: string): Promise<string[]> {
  const count = await page.evaluate<number>(`(() => {
    document.querySelectorAll('details').forEach((details) => (details.open = true));
    const place = (element) => element.getBoundingClientRect();
    const stops = [...document.querySelectorAll('a, button, summary, input')]
      .filter((element) => element.checkVisibility())
      .sort((a, b) => (Math.abs(place(a).top - place(b).top) > 8 ? place(a).top - place(b).top : place(a).left - place(b).left));
    window.lookAt = (index) => {
      const at = document.activeElement;
      if (at !== stops[index]) return 'at ' + at.outerHTML + ' instead of ' + stops[index].outerHTML;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return index === 0 || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) ? '' : 'no ring: ' + at.outerHTML;
    };
    stops[0].focus();
    return stops.length;
  })()`);
  const wrong: string[] = [];
  for (let index = 0; index < count; index++) {
    if (index > 0) await page.keyboard.press('Tab');
    wrong.push(await page.evaluate<string>(`lookAt(${index})`));
  }
  return wrong.filter(Boolean).map((problem) => `${path}: ${problem}`);
}

test('a narrow window cuts nothing off and does not scroll sideways, and everything is large enough to hit', () => {
  expect(found.narrow).toEqual([]);
});

async function lookAtNarrow(page: Page, path: string): Promise<string[]> {
  const wrong: string[] = [];
  // The first is also what is left of 1280 by 1024 at 400 %.
  for (const [width, height] of Object.entries({ 320: 256, 360: 740 })) {
    await page.setViewportSize({ width: Number(width), height });
    const problems = await page.evaluate<string[]>(`(() => {
      const root = document.documentElement;
      const seen = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility());
      const place = (element) => element.getBoundingClientRect();
      const targets = seen.filter((element) => element.matches('a, button, summary, label.check, input:not([type=checkbox])'));
      return [
        ...(root.scrollWidth > root.clientWidth ? ['scrolls'] : []),
        ...seen.filter((element) => place(element).right > root.clientWidth).map((element) => 'cut off ' + element.outerHTML),
        ...targets.filter((element) => place(element).height < 44).map((element) => 'small ' + element.outerHTML),
      ];
    })()`);
    wrong.push(...problems.map((problem) => `${path} at ${width}: ${problem}`));
  }
  return wrong;
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

test('axe finds nothing on any page, in light and in dark', async () => {
  const wrong: string[] = [];
  // Every page in each pool and in each language, but not in each pair of them; per commit by turns in one of them.
  const isMet = (path: string) => {
    const at = names.indexOf(path.split('/')[3] ?? '');
    return isFull
      ? /^\/(customer\/en|admin\/de)\//.test(path)
      : path.startsWith(at % 2 ? '/admin/de/' : '/customer/en/');
  };
  // The axe program is put into the page, which the page's policy would not allow.
  const options = { bypassCSP: true, reducedMotion: 'reduce' } as const;
  await visitAll(isMet, options, async (page, path) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(origin + path);
    const inLight = await findBarriers(page, { runOnly: tags });
    // Only colours differ in the dark, so only they are looked at again.
    await page.emulateMedia({ colorScheme: 'dark' });
    const inDark = await findBarriers(page, { runOnly: ['color-contrast'] });
    for (const { id, nodes } of [...inLight.violations, ...inDark.violations])
      wrong.push(`${path} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
  expect(wrong).toEqual([]);
});

test('the heaviest page is light', () => {
  const weights = [...cases].map(([path, { html }]) => ({ path, bytes: gzipSync(html).length }));
  const sorted = weights.toSorted((a, b) => b.bytes - a.bytes);
  console.log('gzip bytes:', sorted[0], sorted.at(-1));
  expect(sorted[0]?.bytes).toBeLessThan(10_000);
});
