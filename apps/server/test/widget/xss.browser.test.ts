import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { append, type Entry } from '../../src/features/conversations/log/log.store.ts';
import { newId } from '../../src/platform/ids.ts';
import { publish, until } from '../chat/helpers.ts';
import { admin, inside } from '../harness.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import { hostileStyles, hostileUrls, isStorable, payloads, styles, versions } from './xss-payloads.ts';
import { literal, strictPolicy, watch, type Watched } from './xss-watch.ts';

// Hostile text in the chat runs nothing, loads nothing, creates no unexpected elements, and does not reach the page.

const site = await aWidgetSite();
afterAll(site.close);
const strict = strictPolicy(site.apiUrl);

const inGroups = <T>(all: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_none, at) => all.slice(at * size, (at + 1) * size));

const message = (payload: object, type = 'message.created'): Entry => ({ type, messageId: newId('message'), payload });
const reply = (text: string, more: object = {}) => message({ role: 'bot', text, ...more }, 'reply.completed');
/** A failed turn with this reason. */
const unanswered = (text: string, reason: string): Entry[] => {
  const turnId = newId('turn');
  return [
    { ...message({ role: 'visitor', text }), turnId },
    { type: 'turn.failed', turnId, payload: { reason } },
  ];
};
const confirmation = (title: string, fields: readonly string[]): Entry => ({
  type: 'confirmation.required',
  payload: {
    runId: newId('turn'),
    argsHash: 'a'.repeat(64),
    title,
    fields: fields.map((text) => ({ label: text, value: text })),
    confirmLabel: title,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  },
});
const citation = (text: string, at: number, url: string | null = text) => ({
  n: at + 1,
  title: text,
  heading: text,
  url,
  documentId: newId('knowledgeDocument'),
});

/** Opens the widget with a conversation. */
async function converse({ page, run, embed }: Watched): Promise<string> {
  const widget = onPage(page);
  if (!(await run('Boolean(window.Chatbot)'))) {
    await embed();
    await widget.open();
  }
  await widget.say('How long does delivery take?');
  await widget.replies.first().waitFor();
  const { id } = await admin
    .selectFrom('conversations')
    .select('id')
    .where('botId', '=', site.bot.botId)
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}

/** Appends to the log and waits for the page. The chat is closed meanwhile, so that a thousand rows are laid out once. */
async function write({ page }: Watched, conversationId: string, entries: readonly Entry[]) {
  const { launcher, field } = onPage(page);
  const last = newId('message');
  await launcher.click();
  for (const some of inGroups([...entries, { ...reply('That is all.'), messageId: last }], 100))
    await inside(site.tenant.tenantId, (ctx) => append(ctx, conversationId, some));
  await page.locator(`parley-chat [data-id="${last}"]`).waitFor({ timeout: 60_000, state: 'attached' });
  await launcher.click();
  await field.waitFor();
}

/** Posted from another tab: text that PostgreSQL cannot store. */
async function whisper({ page, run }: Watched, conversationId: string, texts: readonly string[]) {
  const { lastSeq } = await admin
    .selectFrom('conversations')
    .select('lastSeq')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow();
  const events = texts.map((text, at) => {
    const [seq, id] = [lastSeq + at + 1, `msg_${at}`];
    return {
      seq,
      type: 'reply.completed',
      data: { message: { id, seq, role: 'bot', text, citations: [citation(text, 0)] } },
    };
  });
  await run(`(() => {
    const channel = new BroadcastChannel(${literal(`cb:${site.bot.botId}`)});
    for (const event of ${literal(events)}) channel.postMessage({ who: '', conversationId: ${literal(conversationId)}, event });
  })()`);
  await page.locator(`parley-chat [data-id="msg_${texts.length - 1}"]`).waitFor({ state: 'attached' });
}

const setupOf = async (): Promise<{ appearance: object; texts: object }> => {
  const url = `${site.cdnUrl}/config/${site.bot.botId}?key=${site.bot.publicKey}`;
  return (await (await fetch(url, { headers: { origin: site.site.url } })).json()) as never;
};
/** Overrides every text of the widget. */
const textKeys = ['open', 'close', 'menu', 'log', 'placeholder', 'send', 'bot', 'you', 'sources', 'helpful', 'erase'];
const worded = (text: string) => Object.fromEntries(textKeys.map((key) => [key, text]));
const allTexts = (text: string) =>
  Object.fromEntries(['theme', 'accent', 'radius', 'side', 'offsetX', 'offsetY', 'icon'].map((key) => [key, text]));

/** A setup with this as every text and value. */
const hostile = (setup: object, botId: string, text: string) => ({
  ...setup,
  botId,
  title: text,
  greeting: text,
  quickReplies: [text],
  disclosure: text,
  texts: worded(text),
  appearance: allTexts(text),
});

/** Embeds, opens and destroys a bot for each. Returns those that showed other text. */
const inBots = (bots: readonly { data: object; title: string; chip: string }[]) => `(async () => {
  const bots = ${literal(bots)};
  const embed = (data, more) => new Promise((onload) => {
    const script = document.createElement('script');
    Object.assign(script, { src: ${literal(`${site.cdnUrl}/chatbot-widget.js`)}, onload, ...more });
    Object.assign(script.dataset, data);
    document.head.append(script);
  });
  bots.forEach(({ data }, at) => void embed({ publicKey: 'pk', botId: 'b' + at, ...data }, { type: 'text/plain' }));
  await embed({}, {}); // one script for all
  const wait = (ms) => new Promise((over) => setTimeout(over, ms));
  const wrong = [];
  for (const [at, { title, chip, data }] of bots.entries()) {
    for (let tries = 0; !Chatbot.bots['b' + at] && tries < 500; tries++) await wait(10);
    const bot = Chatbot.bots['b' + at];
    const opened = new Promise((done) => bot.on('open', done));
    bot.open();
    await Promise.race([opened, wait(15_000)]);
    const host = [...document.querySelectorAll('parley-chat')].find(({ shadowRoot }) => shadowRoot.querySelector('dialog[open]'));
    const textOf = (selector) => host?.shadowRoot.querySelector(selector)?.textContent ?? '';
    if (host) getComputedStyle(host).backgroundImage;
    if (textOf('h2') !== title || textOf('.log > .chips .chip') !== chip) wrong.push([data, textOf('h2')]);
    bot.destroy();
    await wait(0);
  }
  return wrong;
})()`;

let harmless: Set<string>;
/** Asserts that nothing ran, nothing was loaded, and no unexpected element exists. */
async function expectNothing(watched: Watched) {
  expect(await watched.findings()).toEqual([]);
  expect((await watched.shapes()).filter((shape) => !harmless.has(shape))).toEqual([]);
  expect(watched.errors).toEqual([]);
  await watched.context.close();
}

/** A harmless conversation with every kind of content. */
beforeAll(async () => {
  const watched = await watch(site);
  const { page, run } = watched;
  await watched.embed();
  await onPage(page).open();
  await run(`Chatbot.set({ quickReplies: ['One'], disclosure: 'A machine.', side: 'left', theme: 'dark' })`);
  await page.getByRole('button', { name: 'One' }).waitFor();
  const conversationId = await converse(watched);
  const sampler =
    '# Title\n\n**strong** *em* ~~gone~~ `code` [link](https://example.com) https://example.com [1] [2]\nnext\n\n' +
    '- a\n  - b\n\n2. c\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n```js\ncode\n```';
  await write(watched, conversationId, [
    reply(sampler, { citations: [citation('Help', 0, 'https://example.com'), citation('Help', 1, null)] }),
    reply('cut', { finish: 'cut', isHandoffOffered: true }),
    confirmation('Cancel the order?', ['a']),
    confirmation('Cancel it all?', ['a'.repeat(600)]), // long enough to scroll, also by keys
    message({ role: 'agent', text: 'Hello', agent: { id: 'usr_1', name: 'Ann' } }),
    message({ role: 'system', text: 'Hello' }),
    ...unanswered('Why?', 'model_failed'),
    { type: 'conversation.updated', payload: { state: 'human', agent: { name: 'Ann' } } },
  ]);
  await page.locator('parley-chat header button').first().click();
  await page.getByText('Rate this chat').click();
  await page.locator('parley-chat .sheet .face').first().waitFor();
  harmless = new Set(await watched.shapes());
  expect(await watched.findings()).toEqual([]);
  expect(harmless.size).toBeGreaterThan(80);
  await watched.context.close();
}, 120_000);

describe.each([
  ['a page without a policy', undefined],
  ['a page with the strictest policy', strict],
])('on %s', (_name, policy) => {
  test(
    `runs and loads nothing from ${payloads.length} payloads as messages, links, sources and cards`,
    { timeout: 180_000 },
    async () => {
      const watched = await watch(site, policy);
      const { page } = watched;
      const conversationId = await converse(watched);
      const storable = payloads.filter(isStorable);
      const urls = hostileUrls.filter(isStorable);
      const own = inGroups(storable, 12).map((some) => some.join('\n'));
      await write(watched, conversationId, [
        ...inGroups(storable, policy === undefined ? 1 : 6).map((some) => reply(some.join('\n\n'))),
        ...own.flatMap((text) => unanswered(text, text)),
        ...inGroups(storable, 8).map((some, at) =>
          reply(some.map((text, n) => `[${text}](${urls[(at + n) % urls.length]})`).join('\n\n')),
        ),
        ...inGroups(storable, 8).map((some) => reply(some.map((text) => `[label](${text})`).join('\n\n'))),
        ...inGroups(storable, 30).map((some) =>
          reply(some.map((_text, at) => `[${at + 1}]`).join(' '), {
            citations: some.map((text, n) => citation(text, n)),
          }),
        ),
        ...inGroups(storable, 10).map((some) =>
          message({ role: 'agent', text: some[0], agent: { id: 'usr_1', name: some.join(' ') } }),
        ),
        ...inGroups(storable, 20).map((some) => confirmation(some.join(' '), some)),
        ...storable.slice(0, 40).map((text): Entry => ({
          type: 'conversation.updated',
          payload: { state: 'human', agent: { name: text } },
        })),
      ]);
      const shown = await page
        .locator('parley-chat .row.visitor .text')
        .evaluateAll((nodes) => nodes.map((node) => node.textContent));
      expect(shown.slice(1)).toEqual(own);
      await whisper(
        watched,
        conversationId,
        payloads.filter((text) => !isStorable(text)),
      );
      await expectNothing(watched);
    },
  );
});

/** A page whose widget setup comes from the test, like from a compromised CDN. */
async function withSetup(setupFor: (botId: string) => object) {
  const watched = await watch(site);
  await watched.context.route('**/cdn/config/*', (route) =>
    route.fulfill({ json: setupFor(new URL(route.request().url()).pathname.split('/').at(-1)!) }),
  );
  await watched.visit();
  return watched;
}

test('renders a hostile setup as text and ignores invalid values', async () => {
  const setup = await setupOf();
  const texts = isFull ? payloads.filter((_text, at) => at % 8 === 0) : payloads;
  const watched = await withSetup((botId) => hostile(setup, botId, texts[Number(botId.slice(1))] ?? ''));
  expect(await watched.run(inBots(texts.map((text) => ({ data: {}, title: text, chip: text }))))).toEqual([]);
  await expectNothing(watched);
}, 180_000);

test('ignores invalid values in script attributes', async () => {
  const setup = await setupOf();
  const watched = await withSetup((botId) => ({ ...setup, botId }));
  const bots = [
    ...(isFull ? payloads.filter((_text, at) => at % 10 === 0) : payloads).map((text) => ({
      ...allTexts(text),
      locale: text,
      consent: text,
    })),
    ...styles.map((text) => ({ side: text, offsetX: 'url(https://evil.example/side) 1', radius: text })),
    ...versions.map((text) => ({ version: text, isolation: text })),
  ];
  const title = 'Northlight Help';
  expect(await watched.run(inBots(bots.map((data) => ({ data, title, chip: '' }))))).toEqual([]);
  await expectNothing(watched);
}, 180_000);

test(`runs nothing from ${payloads.length} payloads in runtime options, with every style value in ${isFull ? 'every' : 'another'} style`, async () => {
  const watched = await watch(site);
  await watched.embed();
  await onPage(watched.page).open();
  const isName = (text: string) => !text.includes('evil');
  const names = hostileStyles.filter(isName);
  const values = hostileStyles.filter((text) => !isName(text));
  const pairs = isFull
    ? names.flatMap((name) => values.map((value) => [name, value]))
    : names.map((name, at) => [name, values[at % values.length]]);
  const wrong = await watched.run<string[]>(`(async () => {
    const settled = async () => { for (let n = 0; n < 20; n++) await null; };
    const { shadowRoot: root } = document.querySelector('parley-chat');
    const wrong = [];
    const set = async (options) => {
      Chatbot.set(options);
      await settled();
      getComputedStyle(root.host).backgroundImage;
    };
    for (const options of ${literal(payloads.map((text) => ({ ...hostile({}, '', text), ...allTexts(text), locale: text })))}) {
      await set(options);
      const shown = [root.querySelector('h2'), root.querySelector('.log > .chips .chip')].map((node) => node.textContent);
      if (shown.some((text) => text !== options.title)) wrong.push(options.title);
    }
    for (const [side, value] of ${literal(pairs)})
      await set({ side, icon: side, theme: side, accent: value, radius: value, offsetX: value, offsetY: value });
    await set(JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"texts":{"__proto__":{"a":1}}}'));
    return wrong;
  })()`);
  expect(wrong).toEqual([]);
  await expectNothing(watched);
}, 180_000);

test(`shows ${payloads.length} payloads in error messages as text, or not at all`, async () => {
  const watched = await watch(site);
  const { context, page, run } = watched;
  await converse(watched);
  const errors = inGroups(payloads, 25).map((some) => some.join('\n'));
  let rejected = 0;
  const refuse = (route: Route) => {
    const text = errors[rejected++ % errors.length] ?? '';
    const headers = { 'access-control-allow-origin': '*' };
    return route.fulfill({ status: 422, headers, json: { error: { code: text, reason: text, message: text } } });
  };
  await context.route('**/widget/chatbots/*/message', refuse);
  await context.route('**/widget/conversations/*/rating', refuse);
  await context.route('**/cdn/config/*', refuse);
  await run(`for (let n = 0; n < ${errors.length}; n++) Chatbot.send('Again ' + n)`);
  const failures = page.locator('parley-chat .row.visitor .bad');
  await expect.poll(() => failures.count(), { timeout: 30_000 }).toBe(errors.length);
  expect(await failures.allTextContents()).toEqual(errors.map((text) => `Not sent. ${text}`));

  rejected = 0;
  const shownTexts = await run<string[]>(`(async () => {
    const { shadowRoot: root } = document.querySelector('parley-chat');
    const said = [];
    for (let n = 0; n < ${errors.length}; n++) {
      const before = root.querySelector('.notice').textContent;
      root.querySelector('.thumb').click();
      for (let tries = 0; tries < 300 && root.querySelector('.notice').textContent === before; tries++)
        await new Promise((wait) => setTimeout(wait, 10));
      said.push(root.querySelector('.notice').textContent);
    }
    return said;
  })()`);
  expect(shownTexts).toEqual(errors.map((text) => `That didn’t work. ${text}`));

  rejected = 0;
  const emitted = await run<string[]>(`Promise.all(${literal(errors)}.map((_text, at) => new Promise((done) => {
    const script = document.createElement('script');
    Object.assign(script, { src: ${literal(`${site.cdnUrl}/chatbot-widget.js`)} });
    Object.assign(script.dataset, { publicKey: 'pk', botId: 'refused' + at });
    script.onload = () => Chatbot.bots['refused' + at].on('error', ({ message }) => done(message));
    document.head.append(script);
  })))`);
  expect(emitted.toSorted()).toEqual(errors.toSorted());
  expect(await page.locator('parley-chat').count()).toBe(1);
  await expectNothing(watched);
}, 120_000);

test('runs nothing from hostile bot content that the API accepts, on the page and in the iframe', async () => {
  const isAccepted = (text: string) =>
    isStorable(text) && text.trim() === text && text.length <= 60 && !/[\n\r]/.test(text);
  const lines = payloads.filter((text) => text !== '' && isAccepted(text));
  const title = '</script><script>__xss=1</script><!--<script>';
  const spread = (count: number) =>
    Array.from({ length: count }, (_, n) => lines[Math.floor((n * lines.length) / count)]!);
  const values = spread(textKeys.length);
  const texts = Object.fromEntries(textKeys.map((key, at) => [key, values[at]]));
  const quickReplies = spread(6);
  const greeting = lines.slice(0, 12).join('\n\n').slice(0, 500).trim();
  await publish(site.tenant, site.bot.botId, { title, greeting, quickReplies, texts, disclosure: title });
  await until(async () => ((await setupOf()) as { title?: string }).title === title);
  for (const isolation of ['', 'iframe']) {
    const watched = await watch(site);
    const { page } = watched;
    await watched.embed(`data-isolation="${isolation}"`);
    await page.locator('parley-chat button[part=launcher]').click();
    const [frame] = page.frames().slice(1);
    const inside = isolation ? page.frameLocator('parley-chat iframe') : page.locator('parley-chat');
    await inside.locator('textarea').first().waitFor();
    expect(await inside.locator('h2').textContent()).toBe(title);
    expect(await inside.locator('.log > .chips .chip').allTextContents()).toEqual(quickReplies);
    const hits = await frame?.evaluate<string[]>('__watch.hits');
    expect((hits ?? []).filter((hit) => !hit.startsWith('message {"parley"'))).toEqual([]);
    if (isolation) expect(await watched.findings()).toEqual([]);
    else await expectNothing(watched);
    await watched.context.close();
  }
  await publish(site.tenant, site.bot.botId, {
    title: 'Northlight Help',
    greeting: '',
    quickReplies: [],
    texts: {},
    disclosure: '',
  });
}, 120_000);
