import { afterAll, expect, test } from 'vitest';
import { askOnce, viewBare, viewPage, type BareFigures } from '../../../../bench/widget-page.ts';
import { aWidgetSite } from './fixture.ts';

// On an emulated phone and slow connection. A CI machine may itself be slow and busy: the CPU is throttled four times and,
// if a limit is missed, less and less. A bare page is measured first each time, and its time is not counted.
// `npm run bench -- widget` measures on an idle machine, throttled six times, without other load.
const slowDowns = [4, 4, 3, 2, 2, 1, 1, 1];

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
const url = `${site.site.url}/`;
site.site.pages.set('/bare', { html: site.html() });

/** The first measurement within the limit, or the last one above it, with the baseline of a bare page. */
async function meetsLimit<T, L>(
  measure: (slowDown: number) => Promise<T>,
  limitsOf: (bare: BareFigures) => L,
  isWithinLimit: (figures: T, limits: L) => boolean,
): Promise<{ figures: T; limits: L }> {
  for (let attempts = 0; ; attempts++) {
    const slowDown = slowDowns[attempts] ?? 1;
    const limits = limitsOf(await viewBare(site.browser, `${url}bare`, slowDown));
    const figures = await measure(slowDown);
    if (attempts === slowDowns.length - 1 || isWithinLimit(figures, limits)) return { figures, limits };
  }
}

test('shows the launcher within a second of the load event, without layout shift or blocking', async () => {
  const { figures, limits } = await meetsLimit(
    (slowDown) => viewPage(site.browser, url, true, slowDown),
    // It makes one request, which takes more than half a second on this connection.
    ({ roundTrip, longestTask }) => ({ launcher: Math.max(1_000, 1.6 * roundTrip), task: Math.max(50, longestTask) }),
    ({ launcherAfterLoad = Infinity, longestTask }, { launcher, task }) =>
      launcherAfterLoad <= launcher && longestTask <= task,
  );
  expect(figures.launcherAfterLoad).toBeLessThanOrEqual(limits.launcher);
  expect(figures.longestTask).toBeLessThanOrEqual(limits.task);
  expect(figures.layoutShift).toBe(0);
}, 180_000);

test('needs two requests to show the launcher: the script and the setup', async () => {
  const { requests } = await viewPage(site.browser, url, true, 4);
  const ours = requests
    .filter((request) => request.startsWith(site.apiUrl))
    .map((request) => new URL(request).pathname);
  expect(ours).toEqual(['/cdn/chatbot-widget.js', `/cdn/config/${site.bot.botId}`]);
}, 60_000);

test('renders the first delta of a reply within 50 ms of its arrival', async () => {
  site.model.script = () => ({ tokens: 'Delivery takes two to four working days, as a rule.'.split(' '), everyMs: 80 });
  const { figures, limits } = await meetsLimit(
    (slowDown) => askOnce(site.browser, url, 'How long does delivery take?', slowDown),
    ({ twoFrames }) => ({ firstToken: Math.max(50, 1.5 * twoFrames) }),
    ({ firstToken }, limit) => firstToken <= limit.firstToken,
  );
  console.log(`first word after ${Math.round(figures.firstToken)} ms`);
  expect(figures.firstToken).toBeGreaterThan(0);
  expect(figures.firstToken).toBeLessThanOrEqual(limits.firstToken);
}, 240_000);
