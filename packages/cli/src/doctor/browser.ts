import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { isOurs, type Snippet } from './html.ts';
import { misplaced } from './snippet.ts';

/** What a browser made of the page. */
export interface Seen {
  snippets: Snippet[];
  /** What a policy forbade: enforced ones only. */
  forbidden: { directive: string; url: string; policy: string }[];
  /** What was asked for and did not come. */
  failed: { url: string; error: string }[];
  /** What the chat said in the console. */
  said: string[];
  hasButton: boolean;
  hasChat: boolean;
}
export type Launch = () => Promise<Browser>;

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** A browser of this machine, if there is one and somebody installed playwright-core to drive it. */
export async function findBrowser(path = places.find((place) => existsSync(place))): Promise<Launch | undefined> {
  const driver = await import('playwright-core').catch(() => undefined);
  if (!driver || !path) return undefined;
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // its sandbox does not start as root
  return () => driver.chromium.launch({ executablePath: path, args });
}

const timeoutMs = 6_000;

export async function lookInBrowser(launch: Launch, pageUrl: string): Promise<Seen> {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    return await look(page, pageUrl);
  } finally {
    await browser.close();
  }
}

async function look(page: Page, pageUrl: string): Promise<Seen> {
  const failures: Seen['failed'] = [];
  const said: string[] = [];
  page.on('requestfailed', (request) => {
    failures.push({ url: request.url(), error: request.failure()?.errorText ?? '' });
  });
  page.on('console', (message) => void (message.text().startsWith('Chatbot: ') && said.push(message.text())));
  await page.addInitScript(watching); // before anything of the page runs, or the first would be missed
  await page.goto(pageUrl, { waitUntil: 'load', timeout: 30_000 });
  const snippets = await waitForSnippets(page);

  // A page may have troubles of its own, which are none of the chat's.
  const origins = snippets.filter(({ src }) => src).map(({ src }) => new URL(src).origin);
  const isOfChat = (...urls: string[]) => urls.some((url) => origins.some((origin) => url.startsWith(origin)));
  const failed = () => failures.filter(({ url }) => isOfChat(url));
  const forbidden = async () => {
    const all = await page.evaluate<(Seen['forbidden'][number] & { from: string })[]>('window.parleyForbade');
    return all.filter(({ url, from }) => isOfChat(url, from));
  };
  const isForbidden = async () => (await forbidden()).length > 0;
  const isRefused = async () => said.length > 0 || failed().length > 0 || (await isForbidden());

  const button = page.locator('parley-chat button[part=launcher]').first();
  const canRun = snippets.some((snippet) => !misplaced(snippet));
  const hasButton = canRun && (await wait(() => button.isVisible(), isRefused));
  // By an event: what lies over it is another matter.
  if (hasButton) await button.dispatchEvent('click');
  const hasChat = hasButton && (await wait(() => isOpen(page), isForbidden));
  return { snippets, forbidden: await forbidden(), failed: failed(), said, hasButton, hasChat };
}

/** Policies that only report stop nothing. */
const watching = `window.parleyForbade = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    const { disposition, effectiveDirective: directive, blockedURI: url, sourceFile, originalPolicy: policy } = event;
    if (disposition === 'enforce') parleyForbade.push({ directive, url, from: sourceFile ?? '', policy });
  });`;

/** Also those that a tag manager puts there a moment later. */
async function waitForSnippets(page: Page): Promise<Snippet[]> {
  const find = async () => {
    const scripts = await page.evaluate<Snippet[]>(`[...document.querySelectorAll('script')].map((script) => ({
      src: script.src,
      attributes: {
        ...Object.fromEntries([...script.attributes].map(({ name, value }) => [name, value])),
        ...(script.nonce && { nonce: script.nonce }), // browsers hide it from the attributes
      },
    }))`);
    return scripts.filter(isOurs);
  };
  await wait(async () => (await find()).length > 0, undefined, 2_000);
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

/** Whether it came true before the patience ended, or before it was clear that it never will. */
async function wait(
  isTrue: () => Promise<boolean>,
  isHopeless = () => Promise.resolve(false),
  maxMs = timeoutMs,
): Promise<boolean> {
  for (const until = Date.now() + maxMs; Date.now() < until; await sleep(50)) {
    if (await isTrue()) return true;
    if (await isHopeless()) return false;
  }
  return false;
}
