import { createSecretKey } from 'node:crypto';
import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { derivedKeys } from '../../src/platform/crypto.ts';
import { services } from '../harness.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import {
  aBackend,
  aContext,
  answers,
  chatbot,
  nextFrame,
  eventually,
  requestsOf,
  messagesOf,
  sentSoFar,
  storedIn,
  textIn,
} from './helpers.ts';

const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);
site.model.script = () => ({ tokens: 'The answer is marzipan, as ever.'.split(' '), everyMs: 10 });
const backend = await aBackend(site);
const sign = async (claims: object, kid: string) => {
  const [key = ''] = derivedKeys(services.keyring, 'widget-session');
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', kid })
    .sign(createSecretKey(Buffer.from(key, 'base64url')));
};
/** A session token with a custom lifetime. */
async function tokenThatEnds(user: string, inSeconds: number) {
  const { sessionToken } = await backend.sessionFor(user);
  const now = Math.floor(Date.now() / 1_000);
  const { kid = '' } = decodeProtectedHeader(sessionToken);
  return sign({ ...decodeJwt(sessionToken), iat: now + inSeconds - 1_800, exp: now + inSeconds }, kid);
}

/** The API and the worker run in this process with this clock; Restate has a minute to reach the worker. */
function secondsLater(seconds: number) {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true, now: Date.now() + seconds * 1_000 });
  onTestFinished(() => void vi.useRealTimers());
}

type TokenProvider = (nth: number) => unknown;
/** A page with a signed-in user. Its `getToken` can be replaced at any time. */
async function aUserPage(give: TokenProvider) {
  const context = await aContext(site);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const shop = { give, calls: 0 };
  await page.exposeFunction('tokenOfShop', () => shop.give(shop.calls++));
  await page.goto(`${site.site.url}/`);
  const widget = onPage(page);
  await widget.launcher.waitFor();
  const identify = () => page.evaluate('Chatbot.identify({ getToken: () => tokenOfShop() })');
  const ask = async (question: string) => {
    const before = await answers(page).count();
    await widget.say(question);
    await eventually(() => answers(page).count()).toBe(before + 1);
  };
  return { context, page, shop, identify, ask, ...widget };
}
const as =
  (user: string): TokenProvider =>
  async () =>
    (await backend.sessionFor(user)).sessionToken;
const messagesBy = async (user: string) => {
  const { contactId } = await backend.sessionFor(user);
  return (await messagesOf(site)).filter((said) => said.contactId === contactId).map(({ text }) => text);
};
/** Sends from another device of the user. */
const sendAs = async (user: string, message: string) => {
  const { sessionToken } = await backend.sessionFor(user);
  const response = await fetch(`${site.apiUrl}/widget/chatbots/${site.bot.botId}/message`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.site.url },
    body: JSON.stringify({ sessionToken, message }),
  });
  expect(response.status).toBe(200);
};
const notice = (page: Page) => onPage(page).panel.locator('.notice').innerText();

describe('identify', () => {
  test('assigns messages to the user in every browser, and requests the token once, when needed', async () => {
    const { page, shop, identify, open, ask } = await aUserPage(as('ada'));
    const requests = requestsOf(page);
    await identify();
    expect(await sentSoFar(page, requests)).toEqual([]);
    expect(shop.calls).toBe(0);
    await open();
    await ask('where is my order?');
    expect(shop.calls).toBe(1);
    expect(await messagesBy('ada')).toEqual(['where is my order?']);

    const there = await aUserPage(async () => backend.sessionFor('ada')); // an object is accepted too
    await there.identify();
    await there.open();
    await there.own.first().waitFor();
    expect(await there.own.locator('.text').allInnerTexts()).toEqual(['where is my order?']);
    // The token is only in memory.
    expect(JSON.stringify(await storedIn(there.page))).not.toContain('eyJ');
  });

  test('continues what the visitor wrote before signing in, and leaves nothing of it after signing out', async () => {
    const { page, identify, open, ask, own } = await aUserPage(as('bea'));
    await open();
    await ask('as nobody');
    await identify();
    await eventually(() => own.locator('.text').allInnerTexts()).toEqual(['as nobody']);
    await ask('as bea');
    expect(await messagesBy('bea')).toEqual(['as nobody', 'as bea']);
    await chatbot(page, 'identify', null);
    await eventually(() => own.count()).toBe(0);
    await ask('as nobody again');
    expect(await own.locator('.text').allInnerTexts()).toEqual(['as nobody again']);
    expect(await messagesBy('bea')).toEqual(['as nobody', 'as bea']);
  });

  test('keeps the user signed in after erasing their data', async () => {
    const { identify, open, ask, panel } = await aUserPage(as('cleo'));
    await identify();
    await open();
    await ask('where is my order?');
    await panel.locator('header button').first().click();
    await panel.getByText('Delete my data').click();
    await panel.getByText('Delete everything').click();
    await eventually(() => panel.locator('.sheet').innerText()).toMatch(/Receipt/);
    await panel.getByText('Back').click();
    await ask('and this is new');
    expect(await messagesBy('cleo')).toEqual(['and this is new']);
  });
});

describe('getToken', () => {
  test('is called again before the token expires', async () => {
    const { page, shop, identify, open, ask } = await aUserPage(as('dora'));
    await identify();
    await open();
    await ask('first');
    expect(shop.calls).toBe(1);
    await page.clock.setFixedTime(Date.now() + 29.5 * 60_000);
    await ask('half an hour later');
    expect(shop.calls).toBeGreaterThan(1);
    expect(await messagesBy('dora')).toEqual(['first', 'half an hour later']);
  });

  const firstTokens: Record<string, TokenProvider> = {
    'returns an invalid token': () => 'garbage',
    'returns null': () => null,
    'returns an expired token': () => tokenThatEnds('eve', -5),
    rejects: () => Promise.reject(new Error('401 from the shop')),
  };
  // Per commit, one that the API rejects and one that never reaches it.
  const sample = ['returns an invalid token', 'rejects'];
  test.each(Object.entries(firstTokens).filter(([what]) => isFull || sample.includes(what)))(
    'that %s: shows an error, is retried, and then restores the chat',
    async (_what, first) => {
      await sendAs('eve', 'said earlier');
      const { page, shop, identify, open, own, field } = await aUserPage(first);
      await identify();
      await open();
      await eventually(() => shop.calls).toBeGreaterThan(0);
      const callsBefore = shop.calls;
      await field.fill('kept while there is none');
      await field.press('Enter');
      await eventually(() => shop.calls).toBeGreaterThan(callsBefore);
      expect(await own.last().innerText()).toContain('kept while there is none');
      shop.give = as('eve');
      await eventually(() => own.locator('.text').allInnerTexts()).toEqual([
        'said earlier',
        'kept while there is none',
      ]);
      await eventually(() => messagesBy('eve')).toEqual(['said earlier', 'kept while there is none']);
      await eventually(() => notice(page)).toBe('');
      expect(await own.locator('.bad').count(), 'nobody has to try again').toBe(0);
      await erase('eve');
    },
  );

  test('is called again without a visible error when the token expired unnoticed', async () => {
    const { shop, identify, open, ask, own } = await aUserPage(() => tokenThatEnds('finn', 30));
    await identify();
    await open();
    await ask('while it is good');
    shop.give = as('finn');
    secondsLater(31);
    await ask('after it has ended');
    expect(await messagesBy('finn')).toEqual(['while it is good', 'after it has ended']);
    expect(await own.locator('.bad').count()).toBe(0);
    expect(shop.calls).toBe(2);
  });
});

/** Reads the conversation as its owner. */
async function erase(user: string) {
  const { sessionToken } = await backend.sessionFor(user);
  await fetch(`${site.apiUrl}/widget/me`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${sessionToken}`, origin: site.site.url },
  });
}

describe('switching users without a page load', () => {
  /** How pages switch users. */
  const switches: Record<string, (page: Page) => Promise<unknown>> = {
    'by reset and identify': (page) =>
      page.evaluate('Chatbot.reset(); Chatbot.identify({ getToken: () => tokenOfShop() })'),
    'by identify': (page) => page.evaluate('Chatbot.identify({ getToken: () => tokenOfShop() })'),
  };
  /** Per commit, each test uses another way. */
  const waysOf = (sample: keyof typeof switches) =>
    Object.entries(switches).filter(([way]) => isFull || way === sample);
  test.each(waysOf('by identify'))('%s leaves, shows and sends nothing of the first user', async (_way, change) => {
    const { page, shop, identify, open, ask, own, field, log } = await aUserPage(as('gina'));
    await identify();
    await open();
    await ask('my number is 4711');
    await field.fill('half of 4711');
    const first = await backend.sessionFor('gina');
    shop.give = as('hugo');
    const requests = requestsOf(page);
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.url(), request.postData() ?? ''));
    await change(page);
    await nextFrame(page);
    expect(await textIn(page)).not.toMatch(/4711|marzipan/);
    expect(await field.inputValue()).toBe('');
    const stored = JSON.stringify(await storedIn(page));
    expect(stored).not.toContain('4711');
    expect(stored).not.toContain(first.contactId);
    const [theirs] = (await messagesOf(site)).filter(({ text }) => text.includes('4711'));
    expect(stored).not.toContain(theirs?.id);
    await ask('hello from hugo');
    expect(await own.locator('.text').allInnerTexts()).toEqual(['hello from hugo']);
    expect(await log.innerText()).not.toContain('4711');
    expect(await messagesBy('hugo')).toContain('hello from hugo');
    expect(await messagesBy('gina')).not.toContain('hello from hugo');
    expect(bodies.join()).not.toMatch(/4711/);
    expect(requests.join()).not.toContain(theirs?.id);
    await erase('gina');
    await erase('hugo');
  });

  test.each(waysOf('by reset and identify'))(
    '%s closes what the first user was reading or loading',
    async (_way, change) => {
      const { context, page, shop, identify, open, ask, panel } = await aUserPage(as('nina'));
      await identify();
      await open();
      await ask('my number is 4713');
      const openMenu = () => panel.locator('[aria-controls=menu]').click();
      const askForHistory = async () => {
        await openMenu();
        await panel.getByRole('button', { name: 'Previous conversations' }).click();
      };
      const expectNothing = async () => {
        await nextFrame(page);
        expect(await panel.locator('.sheet').isVisible()).toBe(false);
        expect(await textIn(page)).not.toContain('4713');
      };
      await askForHistory();
      await panel.locator('.past').waitFor();
      await openMenu(); // over the list
      shop.give = as('olga');
      await change(page);
      await expectNothing();

      shop.give = as('nina');
      await identify();
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await context.route('**/widget/conversations', async (route) => {
        if (route.request().method() === 'OPTIONS') return route.continue();
        const response = await route.fetch();
        await isReleased;
        await route.fulfill({ response });
      });
      const [request] = await Promise.all([page.waitForRequest('**/widget/conversations'), askForHistory()]);
      shop.give = as('olga');
      await change(page);
      release();
      await (await request.response())?.finished();
      await expectNothing();
      await erase('nina');
      await erase('olga');
    },
  );

  test('by the same getToken removes the first user’s chat and does not send their queued messages', async () => {
    const { context, page, shop, identify, open, ask, own, say, field } = await aUserPage(() =>
      tokenThatEnds('ina', 30),
    );
    await identify();
    await open();
    await ask('my number is 4712');
    await context.setOffline(true);
    await say('4712 again');
    await field.fill('half of 4712');
    shop.give = as('jo');
    secondsLater(31);
    await context.setOffline(false);
    await eventually(() => own.count()).toBe(0);
    await eventually(() => field.inputValue()).toBe('');
    await ask('as jo'); // messages are sent in the order they were written
    expect(await textIn(page)).not.toContain('4712');
    expect(await messagesBy('jo')).toEqual(['as jo']);
    expect(await messagesBy('ina')).toEqual(['my number is 4712']);
  });

  test('never sends the first user’s queued messages as the second, and sends them when the first is back', async () => {
    const { context, page, shop, identify, open, ask } = await aUserPage(as('kim'));
    await identify();
    await open();
    await ask('online as kim');
    await context.setOffline(true);
    await onPage(page).say('unsent of kim');
    await eventually(async () => JSON.stringify(await storedIn(page))).toContain('unsent of kim');
    shop.give = as('leo');
    await identify();
    await nextFrame(page);
    expect(await textIn(page)).not.toContain('unsent of kim');
    await context.setOffline(false);
    await ask('online as leo'); // messages are sent in the order they were written
    expect(await messagesBy('leo')).toEqual(['online as leo']);
    expect(await messagesBy('kim')).toEqual(['online as kim']);
    shop.give = as('kim');
    await identify();
    await eventually(() => messagesBy('kim')).toEqual(['online as kim', 'unsent of kim']);
    expect(await messagesBy('leo')).toEqual(['online as leo']);
  });

  test('never sends a message written offline, before the user was known, as another user', async () => {
    const { page, identify, open, say, ask, own } = await aUserPage(as('mia'));
    await page.evaluate('Chatbot.identify({ getToken: () => Promise.reject(new Error("offline")) })');
    await open();
    await say('of whom?');
    await eventually(() => own.locator('.text').allInnerTexts()).toEqual(['of whom?']);
    await identify();
    await ask('of mia'); // messages are sent in the order they were written
    expect(await messagesBy('mia')).toEqual(['of mia']);
    expect((await messagesOf(site)).map(({ text }) => text)).not.toContain('of whom?');
  });
});
