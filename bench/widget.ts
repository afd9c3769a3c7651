import { chromium } from 'playwright-core';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { buildAll, built, withStack } from './servers.ts';
import { askOnce, viewPage, type PageFigures, type ReplyFigures } from './widget-page.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { startModelServer } from '../tools/model/index.ts';
import { startSite } from '../tools/site/index.ts';
import { freePort } from '../tools/stack/index.ts';

const rounds = 9;

/** The widget's cost for its page: the same page with and without it, on a slow phone and a slow connection. */
export async function widget(): Promise<Result[]> {
  buildAll();
  return withStack(async (stack, onEnd) => {
    const model = await startModelServer();
    onEnd(model.close);
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    onEnd(() => browser.close());
    const settings: Record<string, string> = { ...(await prepare(stack, { model })), LOG_LEVEL: 'error' };
    const port = await freePort();
    const seeded = await seedDemo(settings, `http://localhost:${port}`);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    for (const entry of [built.api, built.worker]) onEnd(runEntry(entry, settings).stop);
    await waitFor(`${apiUrl}/health/ready`);
    const shop = { apiUrl, cdnUrl: `${apiUrl}/cdn`, ...seeded };
    const site = await startSite({ port, ...shop });

    const [bare, embedded]: [PageFigures[], PageFigures[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      bare.push(await viewPage(browser, `${site.url}/bare`, false));
      embedded.push(await viewPage(browser, `${site.url}/`, true));
    }
    const onPage = (name: string, unit: string, of: (figures: PageFigures) => number) =>
      result({
        name: `with the widget: ${name}`,
        value: median(embedded.map(of)),
        unit,
        peer: { name: 'without', value: median(bare.map(of)) },
        rounds,
      });
    const figures = [
      onPage('first contentful paint', 'ms', ({ firstPaint }) => firstPaint),
      onPage('largest contentful paint', 'ms', ({ largestPaint }) => largestPaint),
      onPage('load event', 'ms', ({ load }) => load),
      onPage('total blocking time', 'ms', ({ blocking }) => blocking),
      onPage('longest task (0: none above 50 ms)', 'ms', ({ longestTask }) => longestTask),
      onPage('cumulative layout shift', '', ({ layoutShift }) => layoutShift),
      onPage('requests', '', ({ requests }) => requests.length),
      onPage('transferred', 'bytes', ({ bytes }) => bytes),
      ofRounds('launcher visible, after the load event', embedded, ({ launcherAfterLoad }) => launcherAfterLoad, 1_000),
    ];
    // The same pages with the bot whose replies are streamed from a model.
    await site.stop();
    const modelSite = await startSite({ port, ...shop, ...seeded.modelBot });
    onEnd(modelSite.stop);
    const replies: ReplyFigures[] = [];
    for (let round = 0; round < rounds; round++)
      replies.push(await askOnce(browser, `${site.url}/`, 'How long does delivery take?'));
    return [
      ...figures,
      ofRounds('first streamed token, from its arrival to the screen', replies, ({ firstToken }) => firstToken, 50),
      ofRounds('opening the chat for the first time', replies, ({ opening }) => opening),
      ofRounds('first message of a new visitor until its reply is shown', replies, ({ firstReply }) => firstReply),
    ];
  });
}

function ofRounds<T>(name: string, all: readonly T[], of: (one: T) => number | undefined, goalMs?: number): Result {
  const values = all.map((one) => of(one) ?? Number.NaN);
  const goal = goalMs === undefined ? {} : { goal: { atMost: goalMs } };
  const note = `worst ${Math.max(...values).toFixed(0)} ms`;
  return result({ name, value: median(values), unit: 'ms', ...goal, rounds, note });
}
