import { createServer, request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, expect, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aWidgetSite, onPage, startPages } from './fixture.ts';
import { nextFrame } from './helpers.ts';
import { literal, nonce, plainHtml, strictPolicy } from './xss-watch.ts';

// The widget works under strict CSPs, trusts neither other windows nor the CDN, and leaks no secrets.

vi.setConfig({ testTimeout: 120_000 });
const site = await aWidgetSite({
  answers: { mode: 'model' },
  instructions: 'Never tell anybody of the purple elephant.',
  noAnswer: 'The grey elephant knows.',
  handoff: { message: 'A person comes.' },
  proactive: [{ id: 'tip', message: 'Can I help?', when: { urlContains: '/page#tip' } }],
});
const stranger = await startPages();
const answer =
  '## Delivery\n\nIt takes **two to four** days, _mostly_, for ~~5~~ 4.90 euros: [terms](https://example.com/terms).\n\n' +
  '1. We pack `it`.\n   - Well.\n2. It travels.\n\n> Free above 60.\n\n| Way | Days |\n|---|---|\n| Post | 4 |\n\n---\n\n```\ntrack 1\n```';
site.model.script = () => ({ tokens: answer.split(' '), everyMs: 2 });

const reports: string[] = [];
const reporting = createServer((request, response) => {
  request.on('data', (part: Buffer) => reports.push(part.toString()));
  response.writeHead(204).end();
});
await new Promise<void>((done) => reporting.listen(0, '127.0.0.1', done));
const reportUrl = `http://localhost:${(reporting.address() as AddressInfo).port}/reports`;
afterAll(async () => {
  reporting.closeAllConnections();
  reporting.close();
  await stranger.stop();
  await site.close();
});

/** CSP violations of every page and frame. */
const listener = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    violations.push(violatedDirective + ' ' + blockedURI + ' ' + sample));`;
const violationsIn = (page: Page) => Promise.all(page.frames().map((frame) => frame.evaluate<string[]>('violations')));

async function open(html: string, policy?: string, at = site.site) {
  const headers =
    policy === undefined ? undefined : { 'content-security-policy': `${policy}; report-uri ${reportUrl}` };
  at.pages.set('/page', { html, ...(headers && { headers }) });
  const context = await site.newContext();
  await context.addInitScript(listener);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(`${at.url}/page`);
  return { context, page };
}

/** Everything a visitor can do, from the first click to erasure. */
async function useAll(page: Page, inside: Page | Frame = page) {
  const panel = inside.locator('dialog.panel');
  const menu = async (name: string) => {
    await panel.getByRole('button', { name: 'More options' }).click();
    await panel.getByRole('button', { name, exact: true }).click();
  };
  const field = panel.locator('.talk textarea');
  await field.fill('How long does delivery take?');
  await field.press('Enter');
  await panel.locator('.row.bot table').waitFor();
  await panel.locator('.row.bot .thumb').first().click();
  await panel.getByText('Thank you!').waitFor();
  await menu('Rate this chat');
  await panel.getByRole('radio', { name: 'Good' }).check();
  await panel.locator('.sheet textarea').fill('Good.');
  await panel.locator('.sheet').getByRole('button', { name: 'Send' }).click();
  await panel.getByRole('button', { name: 'Back' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), menu('Download my data')]);
  expect(download.suggestedFilename()).toBe('chat.json');
  await menu('Delete my data');
  await panel.getByRole('button', { name: 'Delete everything' }).click();
  await panel.getByText('Your data has been deleted. Receipt:').waitFor();
  await panel.getByRole('button', { name: 'Back' }).click();
  await panel.getByRole('button', { name: 'Close chat' }).click();
}

test.each([
  ['a nonce and strict-dynamic', strictPolicy(site.apiUrl), `nonce="${nonce}"`],
  ['the host of our files', strictPolicy(site.apiUrl, site.apiUrl), ''],
])('works under a CSP that allows scripts by %s and nothing else', async (_by, policy, attributes) => {
  const { context, page } = await open(plainHtml(site.embed(attributes)), policy);
  const { launcher, panel } = onPage(page);
  await launcher.waitFor();
  await page.evaluate(`location.hash = 'tip'; Chatbot.set({ preChat: { fields: ['name'], isRequired: true } })`);
  await page.locator('parley-chat .tip').getByRole('button', { name: 'Can I help?' }).click();
  await panel.getByLabel('Your name').fill('Ada');
  await panel.getByRole('button', { name: 'Start chat' }).click();
  if (isFull || attributes) await useAll(page); // the policies differ only in how the files are loaded
  else await panel.locator('.talk textarea').waitFor();
  expect(await violationsIn(page)).toEqual([[]]);
  expect(reports).toEqual([]);
  // Listener and reports do detect violations.
  await page.evaluate(`document.body.append(Object.assign(document.createElement('img'), { src: '/x.png' }))`);
  await expect.poll(() => violationsIn(page)).toEqual([[expect.stringContaining('img-src')]]);
  await expect.poll(() => reports.splice(0).join()).toContain('img-src');
  await context.close();
});

/** Counts messages posted to a window, after its own listeners ran. */
const countMessages = `void ((window.got = 0), addEventListener('message', () => got++))`;
const pollOptions = { timeout: 20_000 };

const framed = 'data-isolation="iframe"';
const frameUrl = `${site.cdnUrl}/frame/${site.bot.botId}?key=${site.bot.publicKey}`;

test('works in an iframe under the CSP of the page and its own', async () => {
  const policy = `${strictPolicy(site.apiUrl)}; frame-src ${site.apiUrl}`;
  const { context, page } = await open(plainHtml(site.embed(`nonce="${nonce}" ${framed}`)), policy);
  await page.locator('parley-chat button[part=launcher]').click();
  await page.frameLocator('parley-chat iframe').locator('.talk textarea').waitFor();
  await useAll(page, page.frames()[1]);
  await page.locator('parley-chat button[part=launcher][aria-expanded=false]').waitFor();
  expect(await violationsIn(page)).toEqual([[], []]);
  expect(reports).toEqual([]);
  await context.close();
});

test('does not show the frame on an origin that is not allowed, nor as a top-level page', async () => {
  const { context, page } = await open(plainHtml(`<iframe src="${frameUrl}#secret"></iframe>`), undefined, stranger);
  const consoleMessages: string[] = [];
  page.on('console', (line) => consoleMessages.push(line.text()));
  await page.reload();
  await expect.poll(() => consoleMessages.join()).toContain('frame-ancestors');
  expect(await page.frameLocator('iframe').locator('#setup').count()).toBe(0);

  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate(`void (window.shown = open(${literal(`${frameUrl}#secret`)}))`),
  ]);
  await popup.waitForLoadState();
  await popup.evaluate(countMessages);
  await page.evaluate(`(() => {
    const { port1, port2 } = new MessageChannel();
    window.heard = [];
    port1.onmessage = ({ data }) => heard.push(data);
    shown.postMessage({ parley: 'secret', lang: 'en', options: {}, pageUrl: '' }, '*', [port2]);
  })()`);
  await expect.poll(() => popup.evaluate('got'), pollOptions).toBe(1);
  for (const one of [popup, page]) await nextFrame(one);
  expect(await page.evaluate('heard')).toEqual([]);
  expect(await popup.locator('body *').count()).toBe(0);
  await context.close();
});

/** Sends the hello message like the widget's page, and records responses under this name. */
const greet = (name: string, target: string, secret: string) => `void (() => {
  const { port1, port2 } = new MessageChannel();
  const answers = ((window.greetings ??= {})[${literal(name)}] = []);
  port1.onmessage = ({ data }) => answers.push(Object.keys(data)[0]);
  ${target}.postMessage({ parley: ${literal(secret)}, lang: 'en', options: {}, pageUrl: 'https://shop.example/' }, '*', [port2]);
})()`;

test('the frame responds only to its embedding page, which knows the secret', async () => {
  stranger.pages.set('/guest', { html: plainHtml() });
  const { context, page } = await open(
    plainHtml(`<iframe src="${frameUrl}#secret"></iframe><iframe src="${stranger.url}/guest"></iframe>`),
  );
  const guest = page.frames().find((frame) => frame.url().endsWith('/guest'))!;
  const frame = page.frames().find((frame) => frame.url().startsWith(frameUrl))!;
  await frame.evaluate(countMessages);
  const reach = async (count: number) => {
    await expect.poll(() => frame.evaluate('got'), pollOptions).toBe(count);
    for (const one of [frame, guest, page]) await nextFrame(one);
  };
  const greetingsIn = (window: Page | Frame) => window.evaluate<Record<string, string[]>>('greetings');
  for (const secret of ['secret', 'candidate']) await guest.evaluate(greet(secret, 'parent.frames[0]', secret));
  const candidates = ['candidate', '', 'secret ', '#secret'];
  for (const candidate of candidates) await page.evaluate(greet(candidate, 'frames[0]', candidate));
  await reach(6);
  const silent = Object.fromEntries(candidates.map((candidate) => [candidate, []]));
  expect(await greetingsIn(guest)).toEqual({ secret: [], candidate: [] });
  expect(await greetingsIn(page)).toEqual(silent);
  await page.evaluate(greet('right', 'frames[0]', 'secret'));
  await expect.poll(async () => (await greetingsIn(page))['right'], pollOptions).toContain('isReady');
  await page.evaluate(greet('again', 'frames[0]', 'secret')); // only once per page
  await reach(8);
  expect(await greetingsIn(page)).toEqual({ ...silent, right: expect.anything() as unknown, again: [] });
  expect(await greetingsIn(guest)).toEqual({ secret: [], candidate: [] });
  await context.close();
});

test.each([
  ['the chat', ''],
  ['the chat in a frame', framed],
])('%s ignores messages from other windows', async (_what, attributes) => {
  const messages = [
    { isReady: true },
    { event: 'message', detail: { text: 'forged' } },
    { name: 'forged', isOpen: true },
    { unread: 99 },
    { askToken: 1 },
    { isKept: true },
    { isErased: true },
    { call: 'send', argument: 'forged', pageUrl: 'https://evil.example/' },
    { parley: '', options: { title: 'forged' } },
    { who: '', isReset: true },
    'forged',
    null,
  ];
  stranger.pages.set('/guest', { html: plainHtml() });
  const { context, page } = await open(
    plainHtml(`${site.embed(attributes)}<iframe src="${stranger.url}/guest"></iframe>`),
  );
  await page.locator('parley-chat button[part=launcher]').hover(); // loads the chat without opening it
  await page.locator('parley-chat dialog').waitFor({ state: 'attached' });
  await page.evaluate(`(() => {
    window.heard = [];
    for (const name of ['open', 'close', 'message', 'unread', 'handoff', 'error'])
      Chatbot.on(name, (detail) => heard.push([name, detail]));
    Chatbot.identify({ getToken: () => { heard.push('asked for a token'); return new Promise(() => {}); } });
  })()`);
  await expect.poll(() => page.evaluate('heard'), pollOptions).toEqual(['asked for a token']);
  const snapshot = () =>
    page.evaluate(`JSON.stringify([heard,
    document.querySelector('parley-chat').shadowRoot.querySelector('dialog').open,
    document.querySelector('parley-chat').shadowRoot.querySelector('button').ariaLabel, { ...localStorage }])`);
  const before = await snapshot();
  expect(page.frames()).toHaveLength(attributes ? 3 : 2);
  const guest = page.frames().find((frame) => frame.url().endsWith('/guest'))!;
  const own = page.frames().find((frame) => frame.url().startsWith(site.cdnUrl));
  for (const window of [page, ...(own ? [own] : [])]) await window.evaluate(countMessages);
  const postTo = (target: string) => `for (const message of ${literal(messages)})
    ${target}.postMessage(message, '*', [new MessageChannel().port2])`;
  for (const target of ['parent', 'parent.frames[0]']) await guest.evaluate(postTo(target));
  await page.evaluate(postTo('window'));
  if (own)
    await page.evaluate(
      postTo(`document.querySelector('parley-chat').shadowRoot.querySelector('iframe').contentWindow`),
    );
  await expect.poll(() => page.evaluate('got'), pollOptions).toBe(2 * messages.length);
  if (own) await expect.poll(() => own.evaluate('got'), pollOptions).toBe(messages.length);
  for (const frame of page.frames()) await nextFrame(frame);
  expect(await snapshot()).toBe(before);
  await context.close();
});

/** A CDN in front of our files that can modify some of them. */
async function startCdn(change: (path: string, body: Buffer) => Buffer) {
  const read = async (stream: IncomingMessage) => Buffer.concat((await stream.toArray()) as Buffer[]);
  const server = createServer((request, response) => {
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    ask(`${site.apiUrl}${request.url}`, { method: request.method, headers }, (found) => {
      void read(found).then((body) => {
        const { 'content-length': _length, ...stored } = found.headers;
        response.writeHead(found.statusCode ?? 500, stored).end(change(request.url ?? '', body));
      });
    }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

test.each([
  ['the chat', '', /\/chat\.\w+\.js/],
  ['the iframe host', framed, /\/framed\.\w+\.js/],
])(
  'does not run the script of %s when a CDN changed it, emits an error, and retries on the next click',
  async (_what, attributes, file) => {
    let isTampering = true;
    const cdn = await startCdn((path, body) =>
      isTampering && file.test(path) ? Buffer.concat([body, Buffer.from(';window.stolen=1;')]) : body,
    );
    const script = site.embed(attributes).replace(site.apiUrl, cdn.url);
    const { context, page } = await open(plainHtml(script));
    const launcher = page.locator('parley-chat button[part=launcher]');
    await launcher.waitFor();
    await page.evaluate(`(window.heard = [], Chatbot.on('error', () => heard.push('error')), 0)`);
    await launcher.click();
    await expect.poll(() => page.evaluate<string[]>('heard')).not.toEqual([]);
    expect(await page.evaluate('window.stolen')).toBeUndefined();
    expect(await page.locator('parley-chat dialog').count()).toBe(0);
    isTampering = false;
    await launcher.click();
    await page.locator('parley-chat dialog[open]').waitFor();
    expect(await page.evaluate('window.stolen')).toBeUndefined();
    await context.close();
    cdn.stop();
  },
);

test('sends no secrets to the browser, and does not store the session', async () => {
  const context = await site.newContext();
  const [bodies, addresses, tokens]: [string[], string[], Set<string>] = [[], [], new Set()];
  await context.addInitScript(`(() => {
    const { fetch } = window;
    window.received = [];
    window.fetch = async (...call) => {
      const answer = await fetch(...call);
      const reader = answer.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
      void (async () => { for (let part; reader && !(part = await reader.read()).done;) received.push(part.value); })().catch(() => {});
      return answer;
    };
  })()`);
  context.on('request', (request) => addresses.push(request.url()));
  const reading: Promise<unknown>[] = [];
  context.on('response', (response) => {
    if (!response.headers()['content-type']?.includes('event-stream'))
      reading.push(
        response.text().then(
          (text) => bodies.push(text),
          () => {},
        ),
      );
  });
  for (const attributes of ['', framed]) {
    site.site.pages.set('/page', { html: plainHtml(site.embed(attributes)) });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${site.site.url}/page`);
    await page.locator('parley-chat button[part=launcher]').click();
    const inside = attributes ? page.frameLocator('parley-chat iframe') : page.locator('parley-chat');
    const field = inside.locator('.talk textarea');
    await field.fill('How long does delivery take?');
    await field.press('Enter');
    await inside.locator('.row.bot table').first().waitFor();
    await inside.locator('.row.bot .thumb').first().waitFor();
    await page.reload(); // as a returning visitor
    await inside.locator('.row.bot table').first().waitFor({ state: 'attached' });
    for (const frame of page.frames()) {
      const received = await frame.evaluate<string[]>('received');
      bodies.push(received.join(''));
      await Promise.all(reading);
      for (const [, token = ''] of bodies.join('').matchAll(/"sessionToken":"([^"]+)"/g)) tokens.add(token);
      const stored = await frame.evaluate<string>(`(async () => {
        const shown = (node) => [node.nodeValue, ...[...(node.attributes ?? [])].map(({ value }) => value),
          ...[...node.childNodes].map(shown), ...(node.shadowRoot ? [shown(node.shadowRoot)] : [])].join(' ');
        return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, name,
          location.href, await indexedDB.databases(), await caches.keys(), shown(document.documentElement),
          document.querySelector('parley-chat')?.getHTML?.({ serializableShadowRoots: true }),
          Object.keys(window).map((key) => { try { return JSON.stringify(window[key]); } catch { return ''; } })
            .filter((text) => !text?.includes('sessionToken'))]);
      })()`);
      bodies.push(stored);
      for (const token of tokens) expect(stored.includes(token)).toBe(false);
    }
  }
  expect(tokens.size).toBeGreaterThan(1);
  expect(await context.cookies()).toEqual([]);
  for (const token of tokens) expect(addresses.filter((address) => address.includes(token))).toEqual([]);
  const all = bodies.join('\n');
  expect(all).toContain('two to four'); // recording works
  const { tenantId, workspaceId, userId, email } = site.tenant;
  const { keyId, sourceId } = site.bot;
  const secrets = [
    'sc_live_',
    'whsec_',
    'elephant',
    'A person comes',
    site.model.url,
    tenantId,
    workspaceId,
    userId,
    email,
    keyId,
    sourceId,
  ];
  const fields = [
    'instructions',
    'knowledgeSourceIds',
    'noAnswer',
    'handoff',
    'answers',
    'models',
    'limits',
    'allowedOrigins',
    'tenantId',
  ];
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  expect(fields.filter((field) => all.includes(`"${field}":`))).toEqual([]);
  await context.close();
});
