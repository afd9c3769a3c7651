import type { Browser, CDPSession, Page } from 'playwright-core';

// A mid-range phone on a slow connection, with Lighthouse's "Slow 4G" (applied to each request).
const slowConnection = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 };
/** CPU slowdown of this machine. */
const midRange = 6;

export interface PageFigures {
  /** After the start of navigation, in milliseconds. */
  load: number;
  firstPaint: number;
  largestPaint: number;
  /** Total blocking time beyond 50 ms per task, and the longest task. */
  blocking: number;
  longestTask: number;
  layoutShift: number;
  /** After the page's load event; undefined without a widget. */
  launcherAfterLoad: number | undefined;
  requests: string[];
  /** Transferred bytes, headers included. */
  bytes: number;
}

/** Records metrics from the start. As text: it runs in the page. */
const recorder = `
  window.metrics = { tasks: [], shift: 0, largest: 0 };
  const watch = (type, record) => new PerformanceObserver((list) => list.getEntries().forEach(record)).observe({ type, buffered: true });
  watch('longtask', ({ duration }) => metrics.tasks.push(duration));
  watch('layout-shift', ({ value }) => (metrics.shift += value));
  watch('largest-contentful-paint', ({ startTime }) => (metrics.largest = startTime));
  const check = () => {
    const button = document.querySelector('parley-chat')?.shadowRoot?.querySelector('button');
    if (button && button.getBoundingClientRect().width > 0) metrics.launcher = performance.now();
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);`;

async function onSlowPhone(page: Page, slowDown: number): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', slowConnection);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  return cdp;
}

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** One view of a page with empty caches. */
export async function viewPage(
  browser: Browser,
  url: string,
  hasWidget: boolean,
  slowDown = midRange,
): Promise<PageFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(recorder);
  const cdp = await onSlowPhone(page, slowDown);
  const requests: string[] = [];
  let bytes = 0;
  cdp.on('Network.requestWillBeSent', ({ request }) => void requests.push(request.url));
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await page.goto(url, { waitUntil: 'load', timeout: 60_000 });
  if (hasWidget) await page.waitForFunction('metrics.launcher', undefined, { timeout: 30_000 });
  await page.waitForTimeout(1_500); // for late events
  const metrics = await page.evaluate<{
    tasks: number[];
    shift: number;
    largest: number;
    launcher?: number;
    load: number;
    first: number;
  }>(
    `({ ...metrics, load: performance.getEntriesByType('navigation')[0].loadEventEnd, first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0 })`,
  );
  await context.close();
  return {
    load: metrics.load,
    firstPaint: metrics.first,
    largestPaint: metrics.largest,
    blocking: metrics.tasks.reduce((sum, task) => sum + task - 50, 0),
    longestTask: Math.max(0, ...metrics.tasks),
    layoutShift: metrics.shift,
    launcherAfterLoad: metrics.launcher === undefined ? undefined : Math.max(0, metrics.launcher - metrics.load),
    requests,
    bytes,
  };
}

export interface BareFigures {
  /** From requesting the page again until it is loaded: on the slow connection, by this machine as it is now. */
  roundTrip: number;
  /** The longest wait for two frames, of thirty. */
  twoFrames: number;
  longestTask: number;
}

/** The same phone and connection with an idle page: the machine's own share at the moment. */
export async function viewBare(browser: Browser, url: string, slowDown = midRange): Promise<BareFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(recorder);
  await onSlowPhone(page, slowDown);
  await page.goto(url, { waitUntil: 'load', timeout: 60_000 });
  const figures = await page.evaluate<BareFigures>(`(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    let twoFrames = 0;
    for (let n = 0; n < 30; n++) {
      const startedAt = performance.now();
      await frame();
      await frame();
      twoFrames = Math.max(twoFrames, performance.now() - startedAt);
    }
    const requestedAt = performance.now();
    await (await fetch(location.href, { cache: 'no-store' })).text();
    return { roundTrip: performance.now() - requestedAt, twoFrames, longestTask: Math.max(0, ...metrics.tasks) };
  })()`);
  await context.close();
  return figures;
}

/** Records when the first tokens of a reply arrive in the page, and when a frame with them was drawn. */
const tokenRecorder = `
  window.reply = {};
  const read = ReadableStreamDefaultReader.prototype.read;
  ReadableStreamDefaultReader.prototype.read = function () {
    return read.call(this).then((part) => {
      if (typeof part.value === 'string' && part.value.includes('reply.delta')) reply.arrived ??= performance.now();
      return part;
    });
  };
  const check = () => {
    const text = document.querySelector('parley-chat')?.shadowRoot?.querySelector('.row.bot[data-id^=msg_] .text')?.textContent;
    if (!text) return requestAnimationFrame(check);
    requestAnimationFrame(() => { // the frame in which it was found is drawn by now
      reply.shown ??= performance.now();
    });
  };
  requestAnimationFrame(check);`;

export interface ReplyFigures {
  /** From the arrival of the first tokens until a frame shows them. */
  firstToken: number;
  /** From the click until the field is ready, with empty caches. */
  opening: number;
  /** From sending until the first tokens are shown: two requests and the reply, on that connection. */
  firstReply: number;
}

export async function askOnce(
  browser: Browser,
  url: string,
  question: string,
  slowDown = midRange,
): Promise<ReplyFigures> {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.addInitScript(tokenRecorder);
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
  await page.waitForFunction('reply.shown', undefined, { timeout: 60_000 });
  const { arrived, shown } = await page.evaluate<{ arrived: number; shown: number }>('reply');
  await context.close();
  return { firstToken: shown - arrived, opening, firstReply: shown - sentAt };
}
