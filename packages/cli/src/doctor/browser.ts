import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { isSnippet, type Snippet } from './html.ts';
import { misplaced } from './snippet.ts';

/** What the page did in a browser. */
export interface BrowserResult {
  snippets: Snippet[];
  /** Blocked by an enforced policy. */
  blocked: { directive: string; url: string; policy: string }[];
  /** Failed requests. */
  failed: { url: string; error: string }[];
  /** Console messages of the chat. */
  consoleMessages: string[];
  hasButton: boolean;
  hasChat: boolean;
}
export type Launch = () => Promise<Browser>;

const browserPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** An installed browser, if playwright-core is installed too. */
export async function findBrowser(path = browserPaths.find((path) => existsSync(path))): Promise<Launch | undefined> {
  const driver = await import('playwright-core').catch(() => undefined);
  if (!driver || !path) return undefined;
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // the sandbox does not start as root
  return () => driver.chromium.launch({ executablePath: path, args });
}

const timeoutMs = 6_000;

export async function inspectInBrowser(launch: Launch, pageUrl: string): Promise<BrowserResult> {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    return await inspect(page, pageUrl);
  } finally {
    await browser.close();
  }
}

async function inspect(page: Page, pageUrl: string): Promise<BrowserResult> {
  const failures: BrowserResult['failed'] = [];
  const consoleMessages: string[] = [];
  page.on('requestfailed', (request) => {
    failures.push({ url: request.url(), error: request.failure()?.errorText ?? '' });
  });
  page.on(
    'console',
    (message) => void (message.text().startsWith('Chatbot: ') && consoleMessages.push(message.text())),
  );
  await page.addInitScript(recordViolations); // before the page's scripts run, or the first would be missed
  await page.goto(pageUrl, { waitUntil: 'load', timeout: 30_000 });
  const snippets = await waitForSnippets(page);

  // Only errors of the chat, not the page's own.
  const origins = snippets.filter(({ src }) => src).map(({ src }) => new URL(src).origin);
  const isChatUrl = (...urls: string[]) => urls.some((url) => origins.some((origin) => url.startsWith(origin)));
  const failed = () => failures.filter(({ url }) => isChatUrl(url));
  const blocked = async () => {
    const all = await page.evaluate<(BrowserResult['blocked'][number] & { from: string })[]>('window.parleyViolations');
    return all.filter(({ url, from }) => isChatUrl(url, from));
  };
  const isBlocked = async () => (await blocked()).length > 0;
  const isRefused = async () => consoleMessages.length > 0 || failed().length > 0 || (await isBlocked());

  const button = page.locator('parley-chat button[part=launcher]').first();
  const canRun = snippets.some((snippet) => !misplaced(snippet));
  const hasButton = canRun && (await waitUntil(() => button.isVisible(), isRefused));
  // By an event: elements that cover it are another problem.
  if (hasButton) await button.dispatchEvent('click');
  const hasChat = hasButton && (await waitUntil(() => isOpen(page), isBlocked));
  return { snippets, blocked: await blocked(), failed: failed(), consoleMessages, hasButton, hasChat };
}

/** Report-only policies block nothing. */
const recordViolations = `window.parleyViolations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    const { disposition, effectiveDirective: directive, blockedURI: url, sourceFile, originalPolicy: policy } = event;
    if (disposition === 'enforce') parleyViolations.push({ directive, url, from: sourceFile ?? '', policy });
  });`;

/** Including those that a tag manager adds a moment later. */
async function waitForSnippets(page: Page): Promise<Snippet[]> {
  const find = async () => {
    const scripts = await page.evaluate<Snippet[]>(`[...document.querySelectorAll('script')].map((script) => ({
      src: script.src,
      attributes: {
        ...Object.fromEntries([...script.attributes].map(({ name, value }) => [name, value])),
        ...(script.nonce && { nonce: script.nonce }), // browsers hide it from the attributes
      },
    }))`);
    return scripts.filter(isSnippet);
  };
  await waitUntil(async () => (await find()).length > 0, undefined, 2_000);
  return find();
}

async function isOpen(page: Page): Promise<boolean> {
  for (const frame of page.frames())
    if (
      await frame
        .locator('parley-chat .talk textarea, .talk textarea')
        .first()
        .isVisible()
        .catch(() => false)
    )
      return true;
  return false;
}

/** Whether it became true before the timeout, or before it was clear that it cannot. */
async function waitUntil(
  isTrue: () => Promise<boolean>,
  isImpossible = () => Promise.resolve(false),
  maxMs = timeoutMs,
): Promise<boolean> {
  for (const until = Date.now() + maxMs; Date.now() < until; await sleep(50)) {
    if (await isTrue()) return true;
    if (await isImpossible()) return false;
  }
  return false;
}
