import type { Browser, CDPSession, Page } from 'playwright-core';

// A phone of the middle class on a slow line, as Lighthouse has it ("Slow 4G", applied to each request).
const slowLine = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 };
/** Of this machine's processor. */
const midRange = 6;

export interface PageFigures {
  /** After navigation began, in milliseconds. */
  load: number;
  firstPaint: number;
  largestPaint: number;
  /** Sum of what tasks took beyond 50 ms, and the longest task. */
  blocking: number;
  longestTask: number;
  layoutShift: number;
  /** After the page's load event; what a page without a widget does not have. */
  launcherAfterLoad: number | undefined;
  requests: string[];
  /** Over the line, headers and all. */
  bytes: number;
}

/** Notes what happens from the very beginning. As text: it runs in the page. */
const notes = `
  window.seen = { tasks: [], shift: 0, largest: 0 };
  const watch = (type, hear) => new PerformanceObserver((list) => list.getEntries().forEach(hear)).observe({ type, buffered: true });
  watch('longtask', ({ duration }) => seen.tasks.push(duration));
  watch('layout-shift', ({ value }) => (seen.shift += value));
  watch('largest-contentful-paint', ({ startTime }) => (seen.largest = startTime));
  const look = () => {
    const button = document.querySelector('parley-chat')?.shadowRoot?.querySelector('button');
    if (button && button.getBoundingClientRect().width > 0) seen.launcher = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

async function onSlowPhone(page: Page, slowDown: number): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', slowLine);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  return cdp;
}

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** One view of a page by somebody new: nothing is in any cache. */
export async function viewPage(
  browser: Browser,
  url: string,
  hasWidget: boolean,
  slowDown = midRange,
): Promise<PageFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(notes);
  const cdp = await onSlowPhone(page, slowDown);
  const requests: string[] = [];
  let bytes = 0;
  cdp.on('Network.requestWillBeSent', ({ request }) => void requests.push(request.url));
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await page.goto(url, { waitUntil: 'load', timeout: 60_000 });
  if (hasWidget) await page.waitForFunction('seen.launcher', undefined, { timeout: 30_000 });
  await page.waitForTimeout(1_500); // long enough for what would come late
  const seen = await page.evaluate<{
    tasks: number[];
    shift: number;
    largest: number;
    launcher?: number;
    load: number;
    first: number;
  }>(
    `({ ...seen, load: performance.getEntriesByType('navigation')[0].loadEventEnd, first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0 })`,
  );
  await context.close();
  return {
    load: seen.load,
    firstPaint: seen.first,
    largestPaint: seen.largest,
    blocking: seen.tasks.reduce((sum, task) => sum + task - 50, 0),
    longestTask: Math.max(0, ...seen.tasks),
    layoutShift: seen.shift,
    launcherAfterLoad: seen.launcher === undefined ? undefined : Math.max(0, seen.launcher - seen.load),
    requests,
    bytes,
  };
}

export interface BareFigures {
  /** From asking for the page once more until it is there: on the slow line, by this machine as it is now. */
  roundTrip: number;
  /** The longest wait for two frames, of thirty. */
  twoFrames: number;
  longestTask: number;
}

/** The same phone and line with a page that has nothing to do: what the machine itself takes at the moment. */
export async function viewBare(browser: Browser, url: string, slowDown = midRange): Promise<BareFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(notes);
  await onSlowPhone(page, slowDown);
  await page.goto(url, { waitUntil: 'load', timeout: 60_000 });
  const figures = await page.evaluate<BareFigures>(`(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    let twoFrames = 0;
    for (let n = 0; n < 30; n++) {
      const began = performance.now();
      await frame();
      await frame();
      twoFrames = Math.max(twoFrames, performance.now() - began);
    }
    const asked = performance.now();
    await (await fetch(location.href, { cache: 'no-store' })).text();
    return { roundTrip: performance.now() - asked, twoFrames, longestTask: Math.max(0, ...seen.tasks) };
  })()`);
  await context.close();
  return figures;
}

/** Notes when the first words of an answer arrive in the page, and when a frame with them was drawn. */
const wordNotes = `
  window.words = {};
  const read = ReadableStreamDefaultReader.prototype.read;
  ReadableStreamDefaultReader.prototype.read = function () {
    return read.call(this).then((part) => {
      if (typeof part.value === 'string' && part.value.includes('reply.delta')) words.arrived ??= performance.now();
      return part;
    });
  };
  const look = () => {
    const text = document.querySelector('parley-chat')?.shadowRoot?.querySelector('.row.bot[data-id^=msg_] .text')?.textContent;
    if (!text) return requestAnimationFrame(look);
    requestAnimationFrame(() => { // the frame in which it was found is drawn by now
      words.shown ??= performance.now();
    });
  };
  requestAnimationFrame(look);`;

export interface WordFigures {
  /** From the first words' arrival in the page until a frame shows them. */
  firstWord: number;
  /** From the click until the field can be written into, with nothing in any cache. */
  opening: number;
  /** From sending until the first words are shown: two calls and the answer, on that line. */
  answer: number;
}

export async function askOnce(
  browser: Browser,
  url: string,
  question: string,
  slowDown = midRange,
): Promise<WordFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(wordNotes);
  await onSlowPhone(page, slowDown);
  await page.goto(url, { timeout: 60_000 });
  const launcher = page.locator('parley-chat button[part=launcher]');
  const field = page.locator('parley-chat .talk textarea');
  await launcher.waitFor({ timeout: 30_000 });
  const clickedAt = Date.now();
  await launcher.click();
  await field.waitFor({ timeout: 30_000 });
  const opening = Date.now() - clickedAt;
  await field.fill(question);
  const sentAt = Number(await page.evaluate('performance.now()'));
  await field.press('Enter');
  await page.waitForFunction('words.shown', undefined, { timeout: 60_000 });
  const { arrived, shown } = await page.evaluate<{ arrived: number; shown: number }>('words');
  await context.close();
  return { firstWord: shown - arrived, opening, answer: shown - sentAt };
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
