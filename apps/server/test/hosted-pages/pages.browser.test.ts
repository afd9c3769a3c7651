import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { languageLinks, renderPage, textsOf } from './every-page.ts';
import { samples } from './page-samples.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { findBarriers } from '../axe.ts';
import { sharedChromium } from '../shared-chromium.ts';

// Many pages, which take long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const names = Object.keys(samples);
const pools = ['customer', 'admin'] as const;
/** Every page by path, in both pools and all languages, with and without an error. */
const cases = new Map<string, ReturnType<typeof renderPage>>();
for (const pool of pools)
  for (const { locale } of languageLinks(() => ''))
    for (const [name, { page, error }] of Object.entries(samples))
      for (const shown of error ? [undefined, error] : [undefined]) {
        const links = languageLinks((other) => `?lang=${other}`);
        const content = page(textsOf(locale), shown);
        const path = `/${pool}/${locale}/${name}${content.hasScript ? '/script' : ''}${shown ? '/error' : ''}`;
        cases.set(path, renderPage({ ...content, pool, locale, languageLinks: links, formOrigins: [] }));
      }

const server = createServer((request, response) => {
  const page = cases.get(request.url ?? '');
  response.writeHead(page ? 200 : 404, page?.headers).end(page?.html);
});
let browser: Browser;
let origin: string;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  ({ browser } = await sharedChromium());
  // The full run opens each page in every pool and language; the sample alternates between them.
  const sampleOf = (path: string) => `/${path.split('/').slice(3).join('/')}`;
  const sampleNames = [...new Set([...cases.keys()].map(sampleOf))];
  const pathsOf = (sample: string) => [...cases.keys()].filter((path) => sampleOf(path) === sample);
  const selected = isFull
    ? [...cases.keys()]
    : sampleNames.map((sample, n) => pathsOf(sample)[n % pathsOf(sample).length]);
  await openAll(
    (path) => selected.includes(path),
    { hasTouch: true },
    async (page, path) => {
      problemsByCheck.policy.push(...(await checkPolicy(page, path)));
      if (path.endsWith('/error')) problemsByCheck.errors.push(...(await checkError(page, path)));
      // The tab order does not depend on pool and language.
      if (!isFull || path.startsWith('/customer/en/')) problemsByCheck.tabs.push(...(await checkTabOrder(page, path)));
      problemsByCheck.narrow.push(...(await checkNarrow(page, path)));
    },
  );
});

afterAll(() => void server.close());

/** Two pages in parallel share the work. */
async function openAll(
  isSelected: (path: string) => boolean,
  options: BrowserContextOptions,
  check: (page: Page, path: string) => Promise<void>,
) {
  const waiting = [...cases.keys()].filter(isSelected);
  const work = async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (let path = waiting.shift(); path; path = waiting.shift()) await check(page, path);
    await context.close();
  };
  await Promise.all([work(), work()]);
}

/** Problems by check. Loading is slow, so each page is loaded once for all checks. */
const problemsByCheck: Record<'policy' | 'errors' | 'tabs' | 'narrow', string[]> = {
  policy: [],
  errors: [],
  tabs: [],
  narrow: [],
};

test('a page loads no other resources, does not violate its CSP, and its style and script work', () => {
  expect(problemsByCheck.policy).toEqual([]);
});

async function checkPolicy(page: Page, path: string): Promise<string[]> {
  const messages: string[] = [];
  const onConsole = (message: { text(): string }) => messages.push(`${path} logs: ${message.text()}`);
  const onRequest = (request: { url(): string }) => messages.push(`${path} requests ${request.url()}`);
  page.on('console', onConsole).on('request', onRequest);
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
  page.off('console', onConsole).off('request', onRequest);
  const hasRun = path.includes('/script');
  const expected = { lang: path.split('/')[2], headings: 1, mains: 1, isStyled: true, hasRun, unlabelled: 0 };
  const itself = messages.indexOf(`${path} requests ${origin}${path}`);
  return [
    ...messages.toSpliced(itself, 1),
    ...(JSON.stringify(facts) === JSON.stringify(expected) ? [] : [`${path} is ${JSON.stringify(facts)}`]),
  ];
}

test('an error focuses its field and describes it', () => {
  expect(problemsByCheck.errors).toEqual([]);
});

async function checkError(page: Page, path: string): Promise<string[]> {
  // The focus is set after loading. Polled from outside, because the CSP does not allow eval.
  const isSet = () => page.evaluate<boolean>('document.activeElement !== document.body');
  await vi.waitUntil(isSet, { timeout: 10_000 }).catch(() => {});
  return page.evaluate(`(() => {
    const invalid = document.querySelector('[aria-invalid=true]');
    // At its field, otherwise above the form.
    const alert = invalid ? document.getElementById(invalid.id + '-error') : document.querySelector('main > [role=alert]');
    const focused = document.activeElement;
    const described = invalid?.getAttribute('aria-describedby')?.split(' ') ?? [];
    return [
      !alert?.innerText.trim() && 'no error',
      focused !== (invalid ?? alert) && 'focus at ' + focused.outerHTML,
      invalid && !described.includes(alert?.id) && 'not described',
      invalid && !invalid.checkVisibility() && 'not visible',
    ].filter(Boolean).map((problem) => '${path}: ' + problem);
  })()`);
}

test('Tab reaches all controls from top to bottom with a visible focus', () => {
  expect(problemsByCheck.tabs).toEqual([]);
});

/** Opens all details. The expected order is by position on the page. */
async function checkTabOrder(page: Page, path: string): Promise<string[]> {
  const count = await page.evaluate<number>(`(() => {
    document.querySelectorAll('details').forEach((details) => (details.open = true));
    const rectOf = (element) => element.getBoundingClientRect();
    const stops = [...document.querySelectorAll('a, button, summary, input')]
      .filter((element) => element.checkVisibility())
      .sort((a, b) => (Math.abs(rectOf(a).top - rectOf(b).top) > 8 ? rectOf(a).top - rectOf(b).top : rectOf(a).left - rectOf(b).left));
    window.checkStop = (index) => {
      const at = document.activeElement;
      if (at !== stops[index]) return 'at ' + at.outerHTML + ' instead of ' + stops[index].outerHTML;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return index === 0 || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) ? '' : 'no ring: ' + at.outerHTML;
    };
    stops[0].focus();
    return stops.length;
  })()`);
  const problems: string[] = [];
  for (let index = 0; index < count; index++) {
    if (index > 0) await page.keyboard.press('Tab');
    problems.push(await page.evaluate<string>(`checkStop(${index})`));
  }
  return problems.filter(Boolean).map((problem) => `${path}: ${problem}`);
}

test('a narrow window has no horizontal scrolling or clipping, and targets are large enough', () => {
  expect(problemsByCheck.narrow).toEqual([]);
});

async function checkNarrow(page: Page, path: string): Promise<string[]> {
  const problems: string[] = [];
  // The first size equals 1280 by 1024 at 400 % zoom.
  for (const [width, height] of Object.entries({ 320: 256, 360: 740 })) {
    await page.setViewportSize({ width: Number(width), height });
    const found = await page.evaluate<string[]>(`(() => {
      const root = document.documentElement;
      const visible = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility());
      const rectOf = (element) => element.getBoundingClientRect();
      const targets = visible.filter((element) => element.matches('a, button, summary, label.check, input:not([type=checkbox])'));
      return [
        ...(root.scrollWidth > root.clientWidth ? ['scrolls'] : []),
        ...visible.filter((element) => rectOf(element).right > root.clientWidth).map((element) => 'cut off ' + element.outerHTML),
        ...targets.filter((element) => rectOf(element).height < 44).map((element) => 'small ' + element.outerHTML),
      ];
    })()`);
    problems.push(...found.map((problem) => `${path} at ${width}: ${problem}`));
  }
  return problems;
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

test('axe finds no violations on any page, in light and dark mode (per commit, each page in one of them)', async () => {
  const problems: string[] = [];
  // The full run checks every page in two combinations of pool and language, in light and in dark mode; the sample alternates
  // between both.
  const nameAt = (path: string) => names.indexOf(path.split('/')[3] ?? '');
  const isSelected = (path: string) =>
    isFull
      ? /^\/(customer\/en|admin\/de)\//.test(path)
      : path.startsWith(nameAt(path) % 2 ? '/admin/de/' : '/customer/en/');
  // Injecting axe violates the page's CSP.
  const options = { bypassCSP: true, reducedMotion: 'reduce' } as const;
  await openAll(isSelected, options, async (page, path) => {
    await page.emulateMedia({ colorScheme: isFull || nameAt(path) % 4 < 2 ? 'light' : 'dark' });
    await page.goto(origin + path);
    const { violations } = await findBarriers(page, { runOnly: tags });
    if (isFull) {
      // Dark mode changes only colours, so only contrast is checked again.
      await page.emulateMedia({ colorScheme: 'dark' });
      violations.push(...(await findBarriers(page, { runOnly: ['color-contrast'] })).violations);
    }
    for (const { id, nodes } of violations)
      problems.push(`${path} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
  expect(problems).toEqual([]);
});

test('the largest page is below 10 kB compressed', () => {
  const weights = [...cases].map(([path, { html }]) => ({ path, bytes: gzipSync(html).length }));
  const sorted = weights.toSorted((a, b) => b.bytes - a.bytes);
  console.log('gzip bytes:', sorted[0], sorted.at(-1));
  expect(sorted[0]?.bytes).toBeLessThan(10_000);
});
