import type { BrowserContext } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aUser } from '../harness.ts';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import {
  aContext,
  anHourLater,
  chatbot,
  nextFrame,
  eventually,
  emittedEvents,
  listenTo,
  messagesOf,
  watchStreams,
} from './helpers.ts';

// Several tabs of one browser are one visitor with one connection.

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
const streams = watchStreams(site);
const answerTo = (question: string) => `You said ${question} and this is all of the answer to it, word by word.`;
site.model.script = ({ messages }) => {
  const question = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
  return { tokens: answerTo(/q\d+\w*/.exec(question)?.[0] ?? '?').split(' '), everyMs: 60 };
};

async function aTab(context: BrowserContext, isOpen = true) {
  const page = await openPage(context, `${site.site.url}/`);
  const widget = onPage(page);
  await widget.launcher.waitFor();
  if (isOpen) {
    await chatbot(page, 'open');
    await widget.field.waitFor();
  }
  const texts = () => widget.panel.locator('.row:not(.typing) .text').allInnerTexts();
  return { page, texts, ...widget };
}
type Tab = Awaited<ReturnType<typeof aTab>>;
const greeting = 'Hello! Ask me anything.';
const allShow = async (tabs: Tab[], expected: string[]) => {
  for (const { texts } of tabs) await eventually(texts).toEqual([greeting, ...expected]);
};
/** Also after every tab has settled. */
const oneStream = async (context: BrowserContext) => {
  await eventually(() => streams.open.size).toBe(1);
  for (const tab of context.pages()) await nextFrame(tab);
  expect(streams.open.size).toBe(1);
};
const anAgent = async (question: string) => {
  const sent = (await messagesOf(site)).find(({ text }) => text === question);
  const agent = await aUser([{ tenantId: site.tenant.tenantId, roles: ['agent'] }]);
  await agent.post(`/conversations/${sent?.id}/claim`, {});
  return { reply: (text: string) => agent.post(`/conversations/${sent?.id}/replies`, { text }) };
};

const tabCount = isFull ? 3 : 2;
test(`${tabCount} tabs share one stream and all show every message and delta live`, async () => {
  const context = await aContext(site);
  const tabs: Tab[] = [];
  for (let n = 0; n < tabCount; n++) tabs.push(await aTab(context));
  const shown: string[] = [];
  for (const [n, tab] of tabs.entries()) {
    const question = `q${n + 1}`;
    await tab.say(question);
    // Deltas in tabs that did not send the message.
    const others = n === 0 ? tabs.slice(1) : [];
    for (const { log } of others) await eventually(() => log.innerText()).toContain(`You said ${question}`);
    shown.push(question, answerTo(question));
    await allShow(tabs, shown);
    await oneStream(context);
  }
  const agent = await anAgent('q1');
  await agent.reply('A person is here.');
  await allShow(tabs, [...shown, 'A person is here.']);
  await oneStream(context);
});

test('another tab takes over when the leader is closed mid-reply: one that never led, and then a former leader', async () => {
  const context = await aContext(site);
  const [one, two] = [await aTab(context), await aTab(context)];
  await one.say('q4');
  await eventually(() => two.log.innerText()).toContain('You said q4');
  await one.page.close();
  await allShow([two], ['q4', answerTo('q4')]);
  await oneStream(context);

  const three = await aTab(context);
  await three.say('q5');
  await eventually(() => two.log.innerText()).toContain('You said q5');
  await three.page.close();
  await allShow([two], ['q4', answerTo('q4'), 'q5', answerTo('q5')]);
  await oneStream(context);
});

test('leads once when two visibility events arrive together', async () => {
  const context = await aContext(site);
  const one = await aTab(context);
  await one.say('q8');
  await allShow([one], ['q8', answerTo('q8')]);
  const two = await aTab(context);
  await allShow([two], ['q8', answerTo('q8')]);
  // As when a window is raised: visibility and focus events together.
  await one.page.evaluate(
    `for (let n = 0; n < 3; n++) document.dispatchEvent(new Event('visibilitychange')); document.querySelector('parley-chat').shadowRoot.querySelector('textarea').dispatchEvent(new Event('focus'))`,
  );
  await two.page.close();
  await oneStream(context);
  const agent = await anAgent('q8');
  await agent.reply('Do you hear me?');
  await allShow([one], ['q8', answerTo('q8'), 'Do you hear me?']);
});

test('leads once when it steals the lock while being granted it, and stops when destroyed', async () => {
  const context = await aContext(site);
  await context.clock.install();
  const one = await aTab(context);
  await one.say('q11');
  await allShow([one], ['q11', answerTo('q11')]);
  // The leading tab is closed, and this one becomes visible by that.
  await one.page.evaluate(
    `new Promise((leads) => void navigator.locks.request('cb:${site.bot.botId}', { steal: true }, () => (leads(), new Promise((end) => (window.closeOther = end)))))`,
  );
  await eventually(() => streams.open.size).toBe(0);
  await one.page.evaluate(`closeOther(); setTimeout(() => document.dispatchEvent(new Event('visibilitychange')), 0)`);
  await oneStream(context);
  await chatbot(one.page, 'destroy');
  await eventually(() => streams.open.size).toBe(0);
  const before = streams.total;
  await anHourLater(one.page);
  expect([streams.open.size, streams.total - before]).toEqual([0, 0]);
});

test('two tabs that send their first messages concurrently are one visitor with one conversation', async () => {
  const context = await aContext(site);
  const [one, two] = [await aTab(context), await aTab(context)];
  await Promise.all([one.say('q9a'), two.say('q9b')]);
  for (const { texts } of [one, two])
    await eventually(async () => (await texts()).toSorted()).toEqual(
      [greeting, 'q9a', 'q9b', answerTo('q9a'), answerTo('q9b')].toSorted(),
    );
  const sent = (await messagesOf(site)).filter(({ text }) => text.startsWith('q9'));
  expect(sent).toHaveLength(2);
  expect(new Set(sent.map(({ visitorId }) => visitorId)).size).toBe(1);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  await oneStream(context);
});

test('counts unread messages in every closed tab, and reading in one clears them in all', async () => {
  const context = await aContext(site);
  const one = await aTab(context);
  await one.say('q10');
  await allShow([one], ['q10', answerTo('q10')]);
  const two = await aTab(context, false);
  await two.replies.first().waitFor({ state: 'attached' });
  await chatbot(one.page, 'close');
  await chatbot(two.page, 'close'); // it was restored open
  await listenTo(two.page, 'unread');
  const agent = await anAgent('q10');
  await agent.reply('One.');
  await agent.reply('Two.');
  for (const { launcher } of [one, two]) await eventually(() => launcher.innerText()).toBe('2');
  expect(await one.launcher.getAttribute('aria-label')).toContain('New messages: 2');
  await one.launcher.click();
  await eventually(() => one.launcher.innerText()).toBe('');
  await eventually(() => two.launcher.innerText()).toBe('');
  expect((await emittedEvents(two.page)).map(([, count]) => count).at(-1)).toBe(0);
  await oneStream(context);
});
