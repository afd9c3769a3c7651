import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aUser, aTenant } from '../harness.ts';
import { aBot } from '../chat/fixture.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import {
  aContext,
  aPage,
  chatbot,
  nextFrame,
  eventually,
  emittedEvents,
  listenTo,
  requestsOf,
  messagesOf,
  sentSoFar,
} from './helpers.ts';

const site = await aWidgetSite({ quickReplies: ['Refunds?', 'Opening hours?'], languages: ['en', 'de'] });
afterAll(site.close);

const question = 'How long does delivery take?';
const stub = 'window.Chatbot=window.Chatbot||function(){(Chatbot.q=Chatbot.q||[]).push(arguments)}';

describe('every command', () => {
  const styles = {
    'as a method': (command: string, ...args: unknown[]) =>
      `Chatbot.${command}(${args.map((value) => JSON.stringify(value)).join()})`,
    'as Chatbot(command)': (command: string, ...args: unknown[]) =>
      `Chatbot(${[command, ...args].map((value) => JSON.stringify(value)).join()})`,
  };
  // Per commit, the others of this file use `Chatbot(command)`.
  test.each(Object.entries(styles).slice(0, isFull ? 2 : 1))('%s', async (_style, call) => {
    const { page, panel, launcher, own, replies, errors } = await aPage(site);
    await launcher.waitFor();
    const run = (command: string, ...args: unknown[]) => page.evaluate(`void ${call(command, ...args)}`);

    await run('open');
    await panel.waitFor();
    await run('close');
    await panel.waitFor({ state: 'hidden' });
    await run('toggle');
    await panel.waitFor();
    await run('toggle');
    await panel.waitFor({ state: 'hidden' });
    await run('hide');
    await launcher.waitFor({ state: 'hidden' });
    await run('show');
    await launcher.waitFor();
    await run('send', question);
    await panel.waitFor(); // `send` opens the chat, so that the visitor sees the message
    expect(await own.allInnerTexts()).toEqual([expect.stringContaining(question)]);
    await replies.first().waitFor();
    await run('set', { title: 'Other name' });
    await eventually(() => panel.locator('h2').innerText()).toBe('Other name');
    await run('consent', false);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
    await run('consent', true);
    expect(await page.evaluate('Object.keys(localStorage)')).toContain(`cb:${site.bot.botId}:visitor`);
    await run('identify', null); // anonymous
    await run('reset');
    await eventually(() => own.count()).toBe(0);
    const on = call('on', 'open').replace(/\)$/, ', () => {})');
    const isFunction = await page.evaluate(`typeof ${on} === 'function'`);
    expect(isFunction, 'on returns how to end it').toBe(true);
    await run('destroy');
    expect(await page.locator('parley-chat').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('is queued and run in order when called before the script is loaded', async () => {
    const calls = `<script>${stub}; window.heard = [];
      for (const event of ['ready', 'open', 'message', 'close']) Chatbot('on', event, (detail) => heard.push([event, detail?.role]));
      Chatbot('set', { title: 'From the queue' }); Chatbot('open'); Chatbot('send', ${JSON.stringify(question)}); Chatbot('close');
    </script>`;
    const { page, panel, launcher, open, own, replies } = await aPage(site, site.html(site.embed(), calls));
    await eventually(async () => (await emittedEvents(page)).length).toBe(5);
    const order = (await emittedEvents(page)).map(([event, role]) =>
      role ? `${event} ${JSON.stringify(role)}` : event,
    );
    expect(order).toEqual(['ready', 'open', 'close', 'message "visitor"', 'message "bot"']);
    expect(await panel.isVisible()).toBe(false);
    expect(await launcher.isVisible()).toBe(true);
    await open();
    expect(await panel.locator('h2').innerText()).toBe('From the queue');
    expect([await own.count(), await replies.count()]).toEqual([1, 1]);
  });

  test('is run in order when called while the chat is loading', async () => {
    const { page, panel, launcher } = await aPage(site);
    await launcher.waitFor();
    await page.evaluate('Chatbot.open(); Chatbot.close()');
    await panel.waitFor({ state: 'attached' });
    await nextFrame(page);
    expect(await panel.isVisible()).toBe(false);
    await page.evaluate('Chatbot.set({ title: "Kept" }); Chatbot.reset(); Chatbot.open()');
    await eventually(() => panel.locator('h2').innerText()).toBe('Kept');
  });

  test('hide stays in effect until show, also when called before the button exists', async () => {
    const calls = `<script>${stub}; Chatbot('hide')</script>`;
    const { page, launcher, panel } = await aPage(site, site.html(site.embed(), calls));
    await page.locator('parley-chat').waitFor({ state: 'attached' });
    await nextFrame(page);
    expect(await launcher.isVisible(), 'called early').toBe(false);
    await chatbot(page, 'show');
    await launcher.waitFor();
    await chatbot(page, 'hide');
    await chatbot(page, 'set', { accent: '#123456' });
    expect(await launcher.isVisible(), 'after set').toBe(false);
    await chatbot(page, 'open'); // loads it, and updates the button's label
    await panel.waitFor({ state: 'attached' });
    await nextFrame(page);
    expect([await launcher.isVisible(), await panel.isVisible()], 'after open').toEqual([false, false]);
    await chatbot(page, 'show');
    await launcher.waitFor();
  });
});

describe('events', () => {
  test('are emitted for open, close, message, unread and handoff, and not after unsubscribing', async () => {
    const { page, launcher, panel, open, ask } = await aPage(site);
    await launcher.waitFor();
    await listenTo(page, 'ready', 'open', 'close', 'message', 'unread', 'handoff');
    await page.evaluate('window.end = Chatbot.on("message", () => heard.push(["once", 0]))');
    expect((await emittedEvents(page)).map(([event]) => event)).toEqual(['ready']); // also emitted to late listeners
    await open();
    await ask(question);
    await page.evaluate('end()');
    expect(await emittedEvents(page)).toEqual([
      ['ready', expect.anything()],
      ['open', undefined],
      ['message', { role: 'visitor', text: question }],
      ['once', 0],
      ['message', { role: 'bot', text: expect.stringContaining('two to four') }],
      ['once', 0],
    ]);

    await page.evaluate('heard.length = 0; Chatbot.close()');
    const [{ id } = { id: '' }] = (await messagesOf(site)).toReversed();
    const agent = await aUser([{ tenantId: site.tenant.tenantId, roles: ['agent'] }]);
    await agent.post(`/conversations/${id}/claim`, {});
    await agent.post(`/conversations/${id}/replies`, { text: 'I can help.' });
    await eventually(() => launcher.innerText()).toBe('1');
    await launcher.click();
    await panel.waitFor();
    expect(await emittedEvents(page)).toEqual([
      ['close', undefined],
      ['handoff', { state: 'human' }],
      ['message', { role: 'agent', text: 'I can help.' }],
      ['unread', 1],
      ['unread', 0],
      ['open', undefined],
    ]);
    expect(await launcher.innerText()).toBe('');
  });

  test('do not call a reply unread that a slow phone has yet to draw when the chat is closed', async () => {
    const { page, launcher, open, say } = await aPage(site);
    await launcher.waitFor();
    await listenTo(page, 'message', 'unread', 'close');
    await page.evaluate(`Chatbot.on('message', ({ role }) => role === 'bot' && setTimeout(() => Chatbot.close()))`);
    await open();
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 25 });
    await say(question);
    await eventually(async () => (await emittedEvents(page)).at(-1)?.[0]).toBe('close');
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    for (let frame = 0; frame < 30; frame++) await nextFrame(page); // a drawing that was put off is done
    expect((await emittedEvents(page)).map(([event]) => event)).toEqual(['message', 'message', 'close']);
    expect(await launcher.innerText()).toBe('');
  });

  test('are emitted for new messages only, not again on the next page', async () => {
    const { page, launcher, open, ask } = await aPage(site);
    await open();
    await ask(question);
    await page.reload();
    await launcher.waitFor();
    await listenTo(page, 'message');
    await onPage(page).replies.first().waitFor({ state: 'attached' });
    expect(await emittedEvents(page)).toEqual([]);
    await chatbot(page, 'send', 'And on Sundays?');
    await eventually(async () => (await emittedEvents(page)).length).toBe(2);
  });

  test('error reports why there is no button, also on the console', async () => {
    const html = site.html(site.embed().replace(site.bot.botId, 'bot_0000000000000000000000000a'));
    const warnings: string[] = [];
    const calls = `<script>${stub}; window.heard = []; Chatbot('on', 'error', (detail) => heard.push(['error', detail]))</script>`;
    site.site.pages.set('/error', { html: html.replace('</head>', `${calls}</head>`) });
    const context = await aContext(site);
    const page = await context.newPage();
    page.on('console', (line) => warnings.push(`${line.type()} ${line.text()}`));
    await page.goto(`${site.site.url}/error`);
    await eventually(() => emittedEvents(page)).toEqual([
      ['error', expect.objectContaining({ reason: 'bot_mismatch' })],
    ]);
    expect(warnings).toContainEqual(expect.stringMatching(/^warning Chatbot: .*data-bot-id/));
    expect(await page.locator('parley-chat').count()).toBe(0);
  });

  test('a throwing listener and invalid calls do no harm', async () => {
    const calls = `<script>${stub};
      for (const event of ['ready', 'open', 'close', 'message', 'unread', 'handoff']) Chatbot('on', event, () => { throw new Error('of the page') });
      Chatbot('opne'); Chatbot('set'); Chatbot('identify'); Chatbot('send'); Chatbot('send', 42); Chatbot('open');
    </script>`;
    const { page, panel, field, own, errors, ask } = await aPage(site, site.html(site.embed(), calls));
    await field.waitFor();
    await ask(question);
    await nextFrame(page);
    expect(await panel.locator('.notice').innerText()).toBe('');
    expect(await own.locator('.text').allInnerTexts()).toEqual(['42', question]);
    // Errors of the page's listeners are reported as its own.
    expect(errors).toContain('of the page');
  });
});

describe('multiple', () => {
  test('bots are addressed by id, and calls without an id go to the first', async () => {
    const other = await aTenant();
    const bot = await aBot(other, { title: 'Second' });
    await other.patch(`/bots/${bot.botId}`, { allowedOrigins: [site.site.url] });
    const second = `<script src="${site.cdnUrl}/chatbot-widget.js" data-public-key="${bot.publicKey}" data-bot-id="${bot.botId}" data-side="left" async></script>`;
    const { page } = await aPage(site, site.html(site.embed() + second));
    await eventually(() => page.locator('parley-chat').count()).toBe(2);
    expect(await page.evaluate('Object.keys(Chatbot.bots)')).toEqual([site.bot.botId, bot.botId]);
    const titles = page.locator('parley-chat dialog[open] h2');
    await page.evaluate(`Chatbot.bots[${JSON.stringify(bot.botId)}].open()`);
    await eventually(() => titles.allInnerTexts()).toEqual(['Second']);
    await chatbot(page, 'open');
    await eventually(async () => (await titles.allInnerTexts()).toSorted()).toEqual(['Northlight Help', 'Second']);
    await page.evaluate(`Chatbot.bots[${JSON.stringify(bot.botId)}].send('hello')`);
    await eventually(() => page.evaluate<string[]>('Object.keys(localStorage)')).toContain(`cb:${bot.botId}:visitor`);
    expect(await page.evaluate('Object.keys(localStorage)')).not.toContain(`cb:${site.bot.botId}:visitor`);

    // A destroyed bot stays removed when the script runs again for another.
    await page.evaluate(`Chatbot.bots[${JSON.stringify(site.bot.botId)}].destroy()`);
    await page.evaluate(
      `new Promise((loaded) => document.head.append(Object.assign(document.createElement('script'), { src: ${JSON.stringify(`${site.cdnUrl}/chatbot-widget.js`)}, onload: loaded })))`,
    );
    await nextFrame(page);
    expect(await page.evaluate('Object.keys(Chatbot.bots)')).toEqual([bot.botId]);
  });

  test('scripts of the same bot create one widget', async () => {
    site.site.pages.set('/twice', { html: site.html(site.embed() + site.embed()) });
    const context = await aContext(site);
    const page = await context.newPage();
    const requests = requestsOf(page);
    await page.goto(`${site.site.url}/twice`);
    await onPage(page).launcher.first().waitFor();
    await page.evaluate(
      `new Promise((loaded) => document.head.append(Object.assign(document.createElement('script'), { src: ${JSON.stringify(`${site.cdnUrl}/chatbot-widget.js?again`)}, onload: loaded })))`,
    );
    const setups = (await sentSoFar(page, requests)).filter((request) => request.includes('/config/'));
    expect(setups).toHaveLength(1);
    expect(await page.locator('parley-chat').count()).toBe(1);
  });
});
