import { rmSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { build } from './chat-client.ts';
import { askOnce, median, viewPage, type PageFigures, type WordFigures } from './widget-page.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { startModelServer } from '../tools/model/index.ts';
import { startSite } from '../tools/site/index.ts';
import { freePort, startStack } from '../tools/stack/index.ts';

const rounds = 9;

/** What the widget costs the page it is on: the same page with it and without, on a slow phone and a slow line. */
export async function widget() {
  build();
  const stack = await startStack('bench', { keep: false });
  const model = await startModelServer();
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const settings: Record<string, string> = { ...(await prepare(stack, { model })), LOG_LEVEL: 'error' };
    const port = await freePort();
    const seeded = await seedDemo(settings, `http://localhost:${port}`);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    for (const entry of ['apps/server/dist/api.js', 'apps/server/dist/worker.js'])
      ends.push(runEntry(entry, settings).stop);
    await waitFor(`${apiUrl}/health/ready`);
    const shop = { apiUrl, cdnUrl: `${apiUrl}/cdn`, ...seeded };
    const site = await startSite({ port, ...shop });

    const [bare, embedded]: [PageFigures[], PageFigures[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      bare.push(await viewPage(browser, `${site.url}/bare`, false));
      embedded.push(await viewPage(browser, `${site.url}/`, true));
    }
    const row = (name: string, of: (figures: PageFigures) => number) => ({
      what: name,
      without: round(median(bare.map(of))),
      with: round(median(embedded.map(of))),
    });
    console.table([
      row('first contentful paint, ms', ({ firstPaint }) => firstPaint),
      row('largest contentful paint, ms', ({ largestPaint }) => largestPaint),
      row('load event, ms', ({ load }) => load),
      row('total blocking time, ms', ({ blocking }) => blocking),
      row('longest task, ms (0: none above 50)', ({ longestTask }) => longestTask),
      row('cumulative layout shift', ({ layoutShift }) => layoutShift),
      row('requests', ({ requests }) => requests.length),
      row('bytes over the line', ({ bytes }) => bytes),
    ]);
    const launcher = embedded.map(({ launcherAfterLoad }) => launcherAfterLoad ?? Number.NaN);
    console.log(
      `launcher visible after the load event: ${round(median(launcher))} ms (worst ${round(Math.max(...launcher))}), goal 1,000`,
    );
    // The same pages with the bot whose answers are written as a model thinks of them.
    await site.stop();
    const talkative = await startSite({ port, ...shop, ...seeded.modelBot });
    ends.push(talkative.stop);
    const asked: WordFigures[] = [];
    for (let round = 0; round < rounds; round++)
      asked.push(await askOnce(browser, `${site.url}/`, 'How long does delivery take?'));
    const figures = (of: (one: WordFigures) => number) =>
      `${round(median(asked.map(of)))} ms (worst ${round(Math.max(...asked.map(of)))})`;
    console.log(`first streamed word, arrival to screen: ${figures(({ firstWord }) => firstWord)}, goal 50`);
    console.log(`opening the chat for the first time: ${figures(({ opening }) => opening)}`);
    console.log(`the first message of a new visitor until its answer is seen: ${figures(({ answer }) => answer)}`);
  } finally {
    await browser.close();
    for (const end of ends.toReversed()) await end();
    await model.close();
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
