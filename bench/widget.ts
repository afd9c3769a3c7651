import { rmSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { build } from './chat-client.ts';
import { askOnce, median, viewPage, type PageFigures, type ReplyFigures } from './widget-page.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { startModelServer } from '../tools/model/index.ts';
import { startSite } from '../tools/site/index.ts';
import { freePort, startStack } from '../tools/stack/index.ts';

const rounds = 9;

/** The widget's cost for its page: the same page with and without it, on a slow phone and a slow connection. */
export async function widget() {
  build();
  const stack = await startStack('bench', { keep: false });
  const model = await startModelServer();
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    const settings: Record<string, string> = { ...(await prepare(stack, { model })), LOG_LEVEL: 'error' };
    const port = await freePort();
    const seeded = await seedDemo(settings, `http://localhost:${port}`);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    for (const entry of ['apps/server/dist/api.js', 'apps/server/dist/worker.js'])
      cleanups.push(runEntry(entry, settings).stop);
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
      row('bytes transferred', ({ bytes }) => bytes),
    ]);
    const launcher = embedded.map(({ launcherAfterLoad }) => launcherAfterLoad ?? Number.NaN);
    console.log(
      `launcher visible after the load event: ${round(median(launcher))} ms (worst ${round(Math.max(...launcher))}), goal 1,000`,
    );
    // The same pages with the bot whose replies are streamed from a model.
    await site.stop();
    const modelSite = await startSite({ port, ...shop, ...seeded.modelBot });
    cleanups.push(modelSite.stop);
    const replies: ReplyFigures[] = [];
    for (let round = 0; round < rounds; round++)
      replies.push(await askOnce(browser, `${site.url}/`, 'How long does delivery take?'));
    const figures = (of: (one: ReplyFigures) => number) =>
      `${round(median(replies.map(of)))} ms (worst ${round(Math.max(...replies.map(of)))})`;
    console.log(`first streamed token, arrival to screen: ${figures(({ firstToken }) => firstToken)}, goal 50`);
    console.log(`opening the chat for the first time: ${figures(({ opening }) => opening)}`);
    console.log(`first message of a new visitor until its reply is shown: ${figures(({ firstReply }) => firstReply)}`);
  } finally {
    await browser.close();
    for (const end of cleanups.toReversed()) await end();
    await model.close();
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
