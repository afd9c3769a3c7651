import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { admin } from '../harness.ts';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import {
  aContext,
  anHourLater,
  aPage,
  chatbot,
  nextFrame,
  eventually,
  nothingStored,
  requestsOf,
  rowsEverywhere,
  messagesOf,
  sentSoFar,
  storedIn,
  textIn,
  watchStreams,
} from './helpers.ts';

// Stored data, in the browser and on the server: none before the visitor writes, and none after erasure.

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
site.model.script = () => ({ tokens: 'The answer is marzipan, as ever.'.split(' '), everyMs: 10 });
const streams = watchStreams(site);
const mine = `cb:${site.bot.botId}:`;

describe('a visitor who only opens the chat', () => {
  test('requests only files and the setup, stores nothing, and writes no row', async () => {
    const before = await rowsEverywhere(site);
    const context = await aContext(site);
    await context.clock.install();
    const page = await context.newPage();
    const requests = requestsOf(page);
    await page.goto(`${site.site.url}/`);
    const { launcher, open, field, panel } = onPage(page);
    await launcher.waitFor();
    await anHourLater(page);
    const baseRequests = ['GET /', 'GET /cdn/chatbot-widget.js', `GET /cdn/config/${site.bot.botId}`];
    expect(await sentSoFar(page, requests)).toEqual(baseRequests);
    await launcher.hover();
    const chat = expect.stringMatching(/^GET \/cdn\/chat\.\w+\.js$/) as string;
    const extras = expect.stringMatching(/^GET \/cdn\/extras\.\w+\.js$/) as string;
    await panel.waitFor({ state: 'attached' });
    expect(await sentSoFar(page, requests)).toEqual([...baseRequests, chat]);
    await open();
    await field.fill('not sent');
    await panel.locator('header button').first().click();
    await panel.locator('.menu').waitFor();
    expect(await panel.locator('.menu').innerText()).toBe('We have no data about you.');
    await page.keyboard.press('Escape');
    await chatbot(page, 'close');
    await anHourLater(page);
    expect(await sentSoFar(page, requests)).toEqual([...baseRequests, chat, extras]);
    expect(await storedIn(page)).toEqual(nothingStored);
    expect(await context.cookies()).toEqual([]);
    expect(await rowsEverywhere(site)).toEqual(before);
  });
});

describe('a visitor who writes', () => {
  test('has only this bot’s keys in storage, no cookie and no session token, and downloads a file with all messages', async () => {
    const { context, page, open, ask, panel } = await aPage(site);
    await open();
    await ask('what about figs');
    const { local, session, ...rest } = await storedIn(page);
    expect(Object.keys(local).toSorted()).toEqual([`${mine}seen`, `${mine}visitor`]);
    expect(Object.keys(session)).toEqual([mine]);
    expect({ ...rest, local: {}, session: {} }).toEqual(nothingStored);
    expect(await context.cookies()).toEqual([]);
    const visitorToken = local[`${mine}visitor`] ?? '';
    const used = await fetch(`${site.apiUrl}/widget/me`, {
      headers: { authorization: `Bearer ${visitorToken}`, origin: site.site.url },
    });
    expect(used.status).toBe(401);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel
        .locator('header button')
        .first()
        .click()
        .then(() => panel.getByText('Download my data').click()),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
    const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
      conversations: { messages: { role: string; text: string }[] }[];
    };
    expect(file.conversations.map(({ messages }) => messages.map(({ role, text }) => `${role}: ${text}`))).toEqual([
      ['visitor: what about figs', 'bot: The answer is marzipan, as ever.'],
    ]);
  });

  test('has a chat per tab and page when storage is unavailable', async () => {
    const context = await aContext(site);
    await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } })`);
    const errors: string[] = [];
    const tabs: ReturnType<typeof onPage>[] = [];
    for (const name of ['one', 'two']) {
      const page = await openPage(context, `${site.site.url}/`);
      page.on('pageerror', ({ message }) => errors.push(message));
      const tab = onPage(page);
      await tab.open();
      await tab.say(`from ${name}`);
      await tab.replies.first().waitFor();
      tabs.push(tab);
    }
    await tabs[0]!.say('again from one');
    await eventually(() => tabs[0]!.replies.count()).toBe(2);
    expect(await tabs[0]!.own.locator('.text').allInnerTexts()).toEqual(['from one', 'again from one']);
    expect(await tabs[1]!.own.locator('.text').allInnerTexts()).toEqual(['from two']);
    expect(errors).toEqual([]);
    const sent = (await messagesOf(site)).filter(({ text }) => /from (one|two)/.test(text));
    expect(new Set(sent.map(({ visitorId }) => visitorId)).size).toBe(2);
    expect(sent).toHaveLength(3);
  });
});

describe('data-consent="required"', () => {
  const openConsentPage = () => aPage(site, site.html(site.embed('data-consent="required"')), '/consent');

  test('stores nothing before consent; after consent the next page restores the chat; withdrawn, also on a later page, clears storage, and the chat continues until the page is left', async () => {
    const { page, open, ask, own, launcher } = await openConsentPage();
    await open();
    await ask('before');
    expect(await storedIn(page)).toEqual(nothingStored);
    await chatbot(page, 'consent', true);
    expect(Object.keys((await storedIn(page)).local)).toContain(`${mine}visitor`);
    await eventually(() => own.locator('.text').allInnerTexts()).toEqual(['before']);
    await page.reload();
    await launcher.waitFor();
    await own.first().waitFor({ state: 'attached' });
    expect(await own.locator('.text').allInnerTexts()).toEqual(['before']);

    await chatbot(page, 'consent', false);
    expect(await storedIn(page)).toEqual(nothingStored);
    await ask('after');
    expect(await own.locator('.text').allInnerTexts()).toEqual(['before', 'after']);
    expect(await storedIn(page)).toEqual(nothingStored);

    await chatbot(page, 'consent', true);
    await page.reload();
    await launcher.waitFor();
    await chatbot(page, 'consent', false); // like a consent banner on every page, possibly before the chat is loaded
    await eventually(() => storedIn(page)).toEqual(nothingStored);
    await page.clock.install();
    const requests = requestsOf(page);
    await page.reload();
    await launcher.waitFor();
    await anHourLater(page);
    expect((await sentSoFar(page, requests)).filter((request) => /chat\.|sessions/.test(request))).toEqual([]);
    expect(await own.count()).toBe(0);
  });
});

describe('reset', () => {
  test('clears storage, ends the stream, also in other tabs, and the next message is from a new visitor', async () => {
    const { context, page, open, ask, field, panel, own } = await aPage(site);
    await open();
    await ask('my secret is plum');
    const other = await openPage(context, `${site.site.url}/`);
    await onPage(other).own.first().waitFor({ state: 'attached' });
    await eventually(() => streams.open.size).toBe(1);
    await field.fill('half a plum');
    await chatbot(page, 'reset');
    expect(await storedIn(page)).toEqual(nothingStored);
    expect(await textIn(page)).not.toMatch(/plum|marzipan/);
    expect(await field.inputValue()).toBe('');
    await eventually(() => textIn(other)).not.toMatch(/plum|marzipan/);
    await eventually(() => storedIn(other)).toEqual(nothingStored);
    await eventually(() => streams.open.size).toBe(0);
    expect(await panel.isVisible()).toBe(true);
    await other.close();

    await ask('somebody new');
    expect(await own.locator('.text').allInnerTexts()).toEqual(['somebody new']);
    const [before, after] = (await messagesOf(site)).filter(({ text }) => /plum|somebody new/.test(text));
    expect(after?.visitorId).not.toBe(before?.visitorId);
    expect(after?.id).not.toBe(before?.id);
  });

  test('discards a session that was being opened', async () => {
    const { context, page, open, ask, own, launcher } = await aPage(site);
    await open();
    await ask('my secret is pear');
    const { promise: isReset, resolve: goOn } = Promise.withResolvers<void>();
    await context.route('**/widget/sessions/anonymous', async (route) => {
      const response = await route.fetch();
      await isReset;
      await route.fulfill({ response }).catch(() => {});
    });
    const opening = page.waitForRequest('**/widget/sessions/anonymous');
    await page.reload();
    await launcher.waitFor();
    const request = await opening;
    await chatbot(page, 'reset');
    goOn();
    await (await request.response())?.finished();
    await nextFrame(page);
    expect((await storedIn(page)).local).toEqual({});
    await chatbot(page, 'send', 'new after pear');
    await eventually(async () => (await messagesOf(site)).some(({ text }) => text === 'new after pear')).toBe(true);
    await eventually(() => own.locator('.text').allInnerTexts()).toEqual(['new after pear']);
    const sent = (await messagesOf(site)).filter(({ text }) => /pear/.test(text));
    expect(new Set(sent.map(({ visitorId }) => visitorId)).size).toBe(2);
  });
});

describe('menu', () => {
  test('erases data in the browser and on the server, shows the receipt, and clears the other tabs', async () => {
    const { context, page, open, ask, panel } = await aPage(site);
    await open();
    await ask('what about dates');
    const other = await openPage(context, `${site.site.url}/`);
    await onPage(other).own.first().waitFor({ state: 'attached' });
    const [sent] = (await messagesOf(site)).filter(({ text }) => text.includes('dates'));
    await panel.locator('header button').first().click();
    await panel.getByText('Delete my data').click();
    expect(await panel.locator('.sheet').innerText()).toContain('permanently deleted');
    await panel.getByText('Delete everything').click();
    await eventually(() => panel.locator('.sheet').innerText()).toMatch(/Receipt: evt_\w+/);

    expect((await storedIn(page)).local).toEqual({});
    expect((await storedIn(page)).session).toEqual({});
    expect(await textIn(page)).not.toMatch(/dates|marzipan/);
    await eventually(() => textIn(other)).not.toMatch(/dates|marzipan/);
    expect((await messagesOf(site)).filter(({ text }) => text.includes('dates'))).toEqual([]);
    const visitor = await admin
      .selectFrom('visitors')
      .select('id')
      .where('id', '=', sent?.visitorId ?? '')
      .execute();
    expect(visitor).toEqual([]);
    const remaining = await admin
      .selectFrom('conversationEvents')
      .select('payload')
      .where('conversationId', '=', sent?.id ?? '')
      .execute();
    expect(JSON.stringify(remaining)).not.toMatch(/dates|marzipan/);
    await panel.getByText('Back').click();
    await ask('and now anew');
    expect(await panel.locator('.row.visitor .text').allInnerTexts()).toEqual(['and now anew']);
  });
});
