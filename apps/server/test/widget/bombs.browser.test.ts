import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import { literal } from './xss-watch.ts';

// Adversarial Markdown that is slow to parse. Measures main-thread CPU time instead of wall time, so that a busy machine gets
// the same result. The baseline is a harmless text with as many elements as that length allows.

const site = await aWidgetSite();
afterAll(site.close);

const units = [
  '[',
  '[[',
  '[a](',
  '![',
  '](',
  '[[a]',
  '*',
  '**',
  '**a',
  '_a',
  ' _a',
  '__a ',
  '**_',
  '~~',
  '`',
  '`a',
  '```\n',
  '|',
  '| a ',
  '|-',
  '|\n',
  '> ',
  '>',
  ' ',
  '\n',
  'a\n',
  '- ',
  '- a\n',
  '1. ',
  '#',
  '<',
  '<https://',
  'https://',
  'https://.',
  '\\',
  '\\\n',
  '[1]',
  '(',
  '[a](x "',
  '- - ',
  '_ _',
  '[*',
  '😀',
];
const lines = (line: (at: number) => string) => Array.from({ length: 400 }, (_none, at) => line(at)).join('\n');
const bombs: Record<string, string> = {
  ...Object.fromEntries(units.map((unit) => [`${literal(unit)} again and again`, unit.repeat(8_000 / unit.length)])),
  'lists in lists': lines((at) => `${' '.repeat(at * 2)}- a`),
  'numbered lists in lists': lines((at) => `${' '.repeat(at * 3)}1. a`),
  'quotes in quotes': lines((at) => `${'>'.repeat(at)} a`),
  'quotes with lists': lines((at) => `${'> '.repeat(at % 9)}${' '.repeat(at)}- a`),
  'an address of open brackets': `[a](https://a.b${'('.repeat(8_000)}`,
  'an address of pairs': `[a](https://a.b/${'()'.repeat(4_000)}`,
  'an address that is far away': `[a](${' '.repeat(8_000)}!`,
  'an address with much after it': `[a](x${' '.repeat(8_000)}!`,
  'a title without an end': `[a](x "${'a'.repeat(8_000)}`,
  'an address of dots': `https://${'.'.repeat(8_000)}`,
  'a label of labels': `[${'[a]'.repeat(2_700)}`,
  'strong without an end': `**${'a '.repeat(4_000)}`,
  'code without an end': `\`${'a'.repeat(8_000)}`,
  'a mark after much nothing': `${' '.repeat(8_000)}-`,
  'a bar after much nothing': `a\n${' '.repeat(8_000)}|`,
  'a rule that is none': `${'- '.repeat(4_000)}x`,
};
const harmless = 'a *b*\n'.repeat(1_333);

let cdp: CDPSession;
let run: <T>(expression: string) => Promise<T>;
beforeAll(async () => {
  const page = await openPage(await site.newContext(), `${site.site.url}/`);
  await onPage(page).open();
  run = (expression) => page.evaluate(expression);
  cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  // Posted like another tab would: complete, or in chunks that arrive together.
  await run(`(() => {
    const name = ${literal(`cb:${site.bot.botId}`)};
    const [say, echo] = [new BroadcastChannel(name), new BroadcastChannel(name)];
    const log = document.querySelector('parley-chat').shadowRoot.querySelector('.log');
    const tell = (event) => say.postMessage({ who: '', conversationId: 'con_1', event });
    tell({ seq: 1, type: 'message.created', data: { message: { id: 'msg_0', seq: 1, role: 'visitor', text: 'Hello' } } });
    const depthOf = (node) => 1 + Math.max(0, ...[...node.children].map(depthOf));
    let count = 0;
    window.show = async (text, step) => {
      const messageId = 'msg_' + ++count;
      for (let at = 0; at < text.length; at += step)
        tell({ type: 'reply.delta', data: { turnId: 'turn_1', messageId, at, text: text.slice(at, at + step) } });
      const isOver = new Promise((done) => (echo.onmessage = ({ data }) => data === messageId && done()));
      say.postMessage(messageId);
      await isOver;
      // Until it is fully rendered: its row exists, and two frames change nothing.
      const row = () => log.querySelector('[data-id=' + messageId + '] .text');
      for (let [still, before, tries] = [0, undefined, 0]; still < 2 && tries < 600; tries++) {
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        const now = row()?.lastElementChild ?? row();
        still = now && now === before ? still + 1 : 0;
        before = now;
      }
      log.scrollHeight;
      return { depth: depthOf(log), shown: row() !== null };
    };
  })()`);
}, 60_000);

const spentMs = async () => {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
};
/** The minimum of several attempts, since other work in the browser only adds to it. */
async function costOf(text: string, step: number, attempts: number) {
  const tried = [];
  for (let n = 0; n < attempts; n++) {
    const before = await spentMs();
    const { depth, shown } = await run<{ depth: number; shown: boolean }>(`show(${literal(text)}, ${step})`);
    tried.push({ ms: Math.round((await spentMs()) - before), depth, shown });
  }
  return tried.reduce((least, one) => (one.ms < least.ms ? one : least));
}

/** Samples above the limit, in chunks of this size. Measured again before they count, since the machine may have been slow. */
async function slowOf(some: typeof bombs, step: number, max: number) {
  const slow: unknown[] = [];
  for (const [name, complete] of Object.entries(some)) {
    const text = complete.slice(0, 8_000);
    const once = await costOf(text, step, 1);
    const cost = once.ms > max ? await costOf(text, step, 8) : once;
    if (!cost.shown || cost.ms > max || cost.depth > 50) slow.push({ name, most: max, ...cost });
    if (slow.length > 4) break;
  }
  return slow;
}
const everyNth = (n: number) => Object.fromEntries(Object.entries(bombs).filter((_bomb, at) => at % n === 0));

test('renders an adversarial text of 8,000 characters as fast as a long list, without deep nesting', async () => {
  const measure = await costOf(harmless, 8_000, 5);
  expect(await slowOf(everyNth(isFull ? 1 : 3), 8_000, Math.max(100, 2 * measure.ms))).toEqual([]);
}, 300_000);

test('skips intermediate renders of an adversarial text streamed in chunks of 50 characters', async () => {
  // Rendered after each chunk, the harmless text would cost eighty times as much.
  const measure = await costOf(harmless, 8_000, 5);
  expect(await slowOf(everyNth(isFull ? 3 : 9), 50, Math.max(200, 3 * measure.ms))).toEqual([]);
}, 300_000);
