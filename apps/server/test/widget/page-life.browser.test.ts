import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { until } from '../chat/helpers.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import {
  aContext,
  anHourLater,
  aPage,
  chatbot,
  nextFrame,
  eventually,
  requestsOf,
  messagesOf,
  sentSoFar,
  watchStreams,
} from './helpers.ts';

// Pages that change the widget's options, replace their content, or remove the widget.

const site = await aWidgetSite({ quickReplies: ['Refunds?', 'Opening hours?'], languages: ['en', 'de'] });
afterAll(site.close);
const streams = watchStreams(site);

const question = 'How long does delivery take?';

describe('set', () => {
  test('changes the appearance immediately, closed and open', async () => {
    const { page, launcher, panel, open } = await aPage(site);
    await launcher.waitFor();
    const host = `document.querySelector('parley-chat')`;
    const styleOf = (selector: string, name: string) => {
      const node = selector === 'host' ? host : `${host}.shadowRoot.querySelector('${selector}')`;
      return page.evaluate<string>(`getComputedStyle(${node}).getPropertyValue('${name}')`);
    };
    const iconOf = () => launcher.locator('path').getAttribute('d');
    const plain = await iconOf();

    const options = {
      accent: '#aa0044',
      side: 'left',
      offsetX: 44,
      offsetY: 55,
      radius: 4,
      icon: 'spark',
      theme: 'dark',
    };
    await chatbot(page, 'set', options);
    expect(await styleOf('.l', 'background-color')).toBe('rgb(170, 0, 68)');
    expect([await styleOf('host', 'left'), await styleOf('host', 'bottom')]).toEqual(['44px', '55px']);
    expect((await launcher.boundingBox())?.x).toBe(44);
    expect(await styleOf('.l', 'border-radius')).toBe('7px');
    expect(await iconOf()).not.toBe(plain);

    await open();
    expect(await styleOf('dialog', 'background-color')).toBe('rgb(15, 23, 42)');
    expect((await panel.boundingBox())?.x).toBe(44);
    await chatbot(page, 'set', { theme: 'light', side: 'right', offsetX: 20, accent: '#004488', radius: 12 });
    await eventually(() => styleOf('dialog', 'background-color')).toBe('rgb(255, 255, 255)');
    expect(await styleOf('form button.main', 'background-color')).toBe('rgb(0, 68, 136)');
    const box = await panel.boundingBox();
    expect(Math.round((box?.x ?? 0) + (box?.width ?? 0))).toBe(1280 - 20);
    // Invalid values are ignored.
    await chatbot(page, 'set', {
      accent: 'red;} *{display:none',
      side: 'top:0',
      radius: 'x',
      icon: 'constructor',
      theme: 7,
    });
    expect([await launcher.isVisible(), await panel.isVisible()]).toEqual([true, true]);
  });

  test('changes texts, including those on screen', async () => {
    const { page, panel, log, open, field } = await aPage(site);
    await open();
    await chatbot(page, 'set', {
      title: 'Ask Ada',
      greeting: 'Ahoy!',
      quickReplies: ['One', 'Two'],
      disclosure: 'I am a program.',
    });
    await eventually(() => panel.locator('h2').innerText()).toBe('Ask Ada');
    expect(await log.innerText()).toContain('Ahoy!');
    expect(await log.locator('.chips button').allInnerTexts()).toEqual(['One', 'Two']);
    expect(await panel.locator('.talk > .fine').innerText()).toBe('I am a program.');
    await chatbot(page, 'set', { texts: { placeholder: 'Your question' } });
    expect(await field.getAttribute('placeholder')).toBe('Your question');
  });

  test('changes the language of all its own texts, present and future', async () => {
    const { page, panel, open, replies, field, launcher, ask } = await aPage(site);
    await open();
    await ask(question);
    await panel.locator('header button').first().click(); // the menu
    expect(await panel.locator('.menu').innerText()).toContain('Download my data');
    await chatbot(page, 'set', { locale: 'de-AT' });
    await eventually(() => field.getAttribute('placeholder')).not.toBe('Write a message…');
    expect(await panel.getAttribute('lang')).toBe('de');
    await eventually(() => launcher.getAttribute('aria-label')).not.toMatch(/chat$/);
    expect(await replies.first().innerText()).not.toContain('Sources');
    expect(await panel.locator('.menu').innerText()).not.toContain('Download my data');
    const [message] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/message')),
      chatbot(page, 'send', 'Wie lange dauert die Lieferung?'),
    ]);
    expect(message.postDataJSON()).toMatchObject({ context: { language: 'de' } });

    await chatbot(page, 'set', { locale: 'ar' });
    await eventually(() => panel.getAttribute('dir')).toBe('rtl');
    await chatbot(page, 'set', { locale: 'xx' }); // unsupported: falls back to the page's language
    await eventually(() => panel.getAttribute('lang')).toBe('en');
  });
});

describe('single-page application', () => {
  test('keeps the chat, and sends the current page URL without query and hash', async () => {
    const { page, open, own, panel, replies } = await aPage(site);
    await open();
    await page.evaluate(`history.pushState({}, '', '/checkout?card=4111#token=secret')`);
    const context1 = await sent(page, 'first here');
    expect(context1).toEqual({ pageUrl: `${site.site.url}/checkout`, language: 'en' });
    await page.evaluate(`history.replaceState({}, '', '/thanks?order=1')`);
    expect(await sent(page, 'then there')).toEqual({ pageUrl: `${site.site.url}/thanks`, language: 'en' });
    // The page on which they wrote last.
    expect((await messagesOf(site)).filter(({ text }) => text === 'then there')).toMatchObject([
      { pageUrl: `${site.site.url}/thanks` },
    ]);
    await page.evaluate('history.back()');
    expect(await panel.isVisible()).toBe(true);
    expect(await own.count()).toBe(2);
    await eventually(() => replies.count()).toBe(2);
  });
  async function sent(page: Awaited<ReturnType<typeof aPage>>['page'], text: string) {
    const pendingRequest = page.waitForRequest((request) => request.url().endsWith('/message'));
    await onPage(page).say(text);
    await eventually(() => onPage(page).replies.count()).toBeGreaterThan(0);
    const { context } = (await pendingRequest).postDataJSON() as { context: object };
    await until(async () => (await messagesOf(site)).some((said) => said.text === text));
    return context;
  }

  const changes = {
    'replaces its body': `document.body = Object.assign(document.createElement('body'), { innerHTML: '<h1>Next</h1>' })`,
    'empties its body': `document.body.innerHTML = ''`,
    'writes its body anew, again and again': `(async () => { for (let n = 0; n < 20; n++) { document.body.replaceChildren(document.createElement('main')); await new Promise((next) => setTimeout(next, 10)); } })()`,
    'moves to a body without one, and then to another': `(async () => { const { documentElement: root, body } = document; body.remove(); await new Promise((next) => setTimeout(next, 50)); root.append(document.createElement('body')); })()`,
  };
  const below = (log: { scrollHeight: number; scrollTop: number; clientHeight: number }) =>
    log.scrollHeight - log.scrollTop - log.clientHeight;
  test.each(isFull ? [true, false] : [true])(
    'keeps the chat when the page content is replaced (open: %s)',
    async (isOpen) => {
      const { page, host, panel, launcher, field, open, ask, own, replies } = await aPage(site);
      await open();
      for (const text of [question, 'Refunds?', 'Opening hours?']) await ask(text);
      await field.fill('half written');
      if (!isOpen) await chatbot(page, 'close');
      for (const [what, change] of Object.entries(changes)) {
        await page.evaluate(change);
        await nextFrame(page);
        expect(await host.count(), what).toBe(1);
        expect([await panel.isVisible(), await launcher.isVisible()], what).toEqual([isOpen, true]);
        expect([await own.count(), await replies.count()], what).toEqual([3, 3]);
        expect(await field.inputValue()).toBe('half written');
        if (isOpen) expect(await panel.locator('.log').evaluate(below), `${what}: the newest is seen`).toBeLessThan(48);
      }
      if (!isOpen) await launcher.click();
      await field.press('Enter');
      await eventually(() => replies.count()).toBe(4);
    },
  );
});

test('reloads the iframe and restores the chat when the body is replaced', async () => {
  const html = site.html(site.embed('data-isolation="iframe"'));
  const { page } = await aPage(site, html, '/walled');
  await page.locator('parley-chat .l').click();
  const inside = page.frameLocator('parley-chat iframe');
  const field = inside.locator('.talk textarea');
  await field.fill(question);
  await field.press('Enter');
  await eventually(() => inside.locator('.thumb').count()).toBe(2);
  await page.evaluate(`document.body = document.createElement('body')`);
  await eventually(() => inside.locator('.row.visitor').count()).toBe(1);
  await eventually(() => inside.locator('.thumb').count()).toBe(2);
  await eventually(() => field.isVisible()).toBe(true);
  await field.fill('And on');
  await field.press('Enter');
  await eventually(() => inside.locator('.thumb').count()).toBe(4);
});

test('restores the open state on the next page, from the first message on', async () => {
  const { page, panel, open, replies, launcher, ask } = await aPage(site);
  await open();
  await page.clock.install();
  const requests = requestsOf(page);
  await page.reload(); // no message yet, so nothing is stored
  await launcher.waitFor();
  await anHourLater(page);
  expect((await sentSoFar(page, requests)).filter((request) => request.includes('/cdn/chat.'))).toEqual([]);
  expect(await panel.isVisible()).toBe(false);
  await open();
  await ask(question);
  await page.reload();
  await panel.waitFor();
  await chatbot(page, 'close');
  await page.reload();
  await replies.first().waitFor({ state: 'attached' });
  await nextFrame(page);
  expect(await panel.isVisible()).toBe(false);
});

describe('destroy', () => {
  test('removes everything; embedded again, the conversation continues', async () => {
    const before = `<script>window.onmessage = () => {}; window.before = { push: history.pushState, replace: history.replaceState, onmessage }; window.names = Object.getOwnPropertyNames(window)</script>`;
    const { page, host, open, own, replies, ask } = await aPage(site, site.html(site.embed(), before));
    await open();
    await ask(question);
    await eventually(() => streams.open.size).toBe(1);
    expect(
      await page.evaluate(
        `history.pushState === before.push && history.replaceState === before.replace && window.onmessage === before.onmessage`,
      ),
    ).toBe(true);
    await page.clock.install();
    await chatbot(page, 'destroy');
    expect(await host.count()).toBe(0);
    await eventually(() => streams.open.size).toBe(0);
    const requests = requestsOf(page);
    await page.evaluate(changesOfBody);
    await page.evaluate(`dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))`);
    await anHourLater(page);
    expect(await sentSoFar(page, requests)).toEqual([]);
    expect(await page.locator('parley-chat').count()).toBe(0);
    expect(await page.evaluate('Object.keys(Chatbot.bots)')).toEqual([]);
    expect(
      await page.evaluate<string[]>(
        'Object.getOwnPropertyNames(window).filter((name) => !names.includes(name) && !name.startsWith("__pw"))',
      ),
    ).toEqual(['names', 'Chatbot']);

    await page.evaluate(`(() => {
      const script = document.createElement('script');
      Object.assign(script.dataset, { botId: ${JSON.stringify(site.bot.botId)}, publicKey: ${JSON.stringify(site.bot.publicKey)} });
      script.src = ${JSON.stringify(`${site.cdnUrl}/chatbot-widget.js`)};
      document.head.append(script);
    })()`);
    await host.waitFor({ state: 'attached' });
    await chatbot(page, 'open');
    await replies.first().waitFor();
    expect(await own.count()).toBe(1);
  });
  const changesOfBody = `document.body.replaceChildren()`;

  test('before the button is shown prevents it', async () => {
    const context = await aContext(site);
    const { promise: isDestroyed, resolve: goOn } = Promise.withResolvers<void>();
    await context.route('**/cdn/config/**', async (route) => {
      await isDestroyed;
      await route.continue();
    });
    const page = await context.newPage();
    const pendingRequest = page.waitForRequest('**/cdn/config/**');
    await page.goto(`${site.site.url}/`);
    const setup = await pendingRequest;
    await chatbot(page, 'destroy');
    goOn();
    await (await setup.response())?.finished();
    await nextFrame(page);
    expect(await page.locator('parley-chat').count()).toBe(0);
  });

  test('while the setup is unavailable stops the retries', async () => {
    const context = await aContext(site);
    await context.route('**/cdn/config/**', (route) => route.fulfill({ status: 503, json: {} }));
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${site.site.url}/`);
    const requests = requestsOf(page);
    await until(() => page.evaluate('Boolean(window.Chatbot?.destroy)'));
    await page.clock.runFor(25_000);
    await until(() => requests.filter((request) => request.includes('/config/')).length === 1);
    await chatbot(page, 'destroy');
    await page.clock.runFor(60_000);
    expect((await sentSoFar(page, requests)).filter((request) => request.includes('/config/'))).toHaveLength(1);
  });

  test('before a returning visitor is detected prevents loading the chat', async () => {
    const { page, open, ask } = await aPage(site);
    await open();
    await ask(question);
    await chatbot(page, 'close');
    // The chat loads half a second after the button; `destroy` is called before that.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.reload();
    await page.locator('parley-chat').waitFor({ state: 'attached' });
    const requests = requestsOf(page);
    await chatbot(page, 'destroy');
    await page.clock.resume();
    await anHourLater(page);
    expect(await sentSoFar(page, requests)).toEqual([]);
    await eventually(() => streams.open.size).toBe(0);
  });
});
