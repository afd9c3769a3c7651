import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { afterOwnFile } from './harness.ts';

let started: Promise<Browser> | undefined;
afterOwnFile(async () => (await started)?.close());

/** The browser of all files of a vitest worker, which ends with the worker. A file closes its own pages. */
export async function sharedChromium() {
  const browser = await (started ??= launchChromium([], { handleSIGTERM: false, handleSIGINT: false }));
  return { browser, closePages: () => Promise.all(browser.contexts().map((context) => context.close())) };
}
