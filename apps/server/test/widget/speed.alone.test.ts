import { afterAll, expect, test } from 'vitest';
import { askOnce, viewPage } from '../../../../bench/widget-page.ts';
import { aWidgetSite } from './fixture.ts';

// On a phone and a slow line, both emulated. A machine that builds may itself be slow, and something else may run on it: so
// its processor is slowed down four times and, where a promise is not kept so, less and less, since it is slowed down
// already. `npm run bench -- widget` measures on a quiet one, slowed down six times, and without a widget beside it.
const slowDowns = [4, 4, 3, 2, 2, 1, 1, 1];

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
const url = `${site.site.url}/`;

/** The first time that it is kept, or the last that it is not. */
async function kept<T>(measure: (slowDown: number) => Promise<T>, isKept: (figures: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const figures = await measure(slowDowns[tries] ?? 1);
    if (tries === slowDowns.length - 1 || isKept(figures)) return figures;
  }
}

test('the launcher is there within a second of the load event, moves nothing, and blocks nothing', async () => {
  const figures = await kept(
    (slowDown) => viewPage(site.browser, url, true, slowDown),
    ({ launcherAfterLoad = Infinity, longestTask }) => launcherAfterLoad <= 1_000 && longestTask <= 50,
  );
  expect(figures.launcherAfterLoad).toBeLessThanOrEqual(1_000);
  expect(figures.longestTask).toBeLessThanOrEqual(50);
  expect(figures.layoutShift).toBe(0);
}, 180_000);

test('before the launcher is seen a page asks for the script and one thing more: how the bot looks', async () => {
  const { requests } = await viewPage(site.browser, url, true, 4);
  const ours = requests
    .filter((request) => request.startsWith(site.apiUrl))
    .map((request) => new URL(request).pathname);
  expect(ours).toEqual(['/cdn/chatbot-widget.js', `/cdn/config/${site.bot.botId}`]);
}, 60_000);

test('the first word of an answer is on the screen within 50 ms of its arrival', async () => {
  site.model.script = () => ({ words: 'Delivery takes two to four working days, as a rule.'.split(' '), everyMs: 80 });
  const figures = await kept(
    (slowDown) => askOnce(site.browser, url, 'How long does delivery take?', slowDown),
    ({ firstWord }) => firstWord <= 50,
  );
  console.log(`first word after ${Math.round(figures.firstWord)} ms`);
  expect(figures.firstWord).toBeGreaterThan(0);
  expect(figures.firstWord).toBeLessThanOrEqual(50);
}, 240_000);
