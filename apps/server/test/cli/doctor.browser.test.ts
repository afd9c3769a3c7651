import { createServer, request } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Launch } from '../../../../packages/cli/src/doctor/browser.ts';
import { diagnose } from '../../../../packages/cli/src/doctor/diagnose.ts';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { aBot } from '../chat/fixture.ts';
import { launchChromium } from '../chromium.ts';
import { aKey, aTenant } from '../harness.ts';
import { aWidgetSite } from '../widget/fixture.ts';
import { aTerminal } from './fixture.ts';

// Pages with one problem each, on the real service. The doctor reports that cause and nothing else: with a browser, and
// without one as far as possible.

vi.setConfig({ testTimeout: 60_000 });

const site = await aWidgetSite();
afterAll(site.close);
const { tenant, bot, embed, html, cdnUrl } = site;
const cdn = new URL(cdnUrl).origin;
const tag = (key: string, botId: string, src = `${cdnUrl}/chatbot-widget.js`) =>
  `<script src="${src}" data-public-key="${key}" data-bot-id="${botId}" async></script>`;

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));
async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** The service behind a proxy whose clock is nine minutes behind. */
const delayed = createServer(({ url, headers }, response) => {
  const inner = request(
    `${site.apiUrl}${url}`,
    { headers: { ...headers, host: new URL(site.apiUrl).host } },
    (upstream) => {
      const date = new Date(Date.now() - 540_000).toUTCString();
      response.writeHead(upstream.statusCode ?? 502, { ...upstream.headers, date });
      upstream.pipe(response);
    },
  );
  inner.end();
});
const lateCdn = `http://localhost:${await listen(delayed)}/cdn`;

const paused = await aBotOfAnother({ status: 'paused' });
const otherOrigin = await aBotOfAnother({ allowedOrigins: ['https://shop.example'] });
async function aBotOfAnother(change: object) {
  const owner = await aTenant();
  const created = await aBot(owner);
  const changed = await owner.patch(`/bots/${created.botId}`, { allowedOrigins: [site.site.url], ...change });
  expect(changed.statusCode, changed.body).toBe(200);
  return created;
}
async function aWidgetKey(environmentId = tenant.environmentId) {
  const { botId: boundBotId } = bot;
  const created = await tenant.post('/api-keys', { name: 'Page', keyType: 'public_widget', boundBotId, environmentId });
  return created.json<{ secret: string; apiKey: { id: string } }>();
}
const revoked = await aWidgetKey();
await tenant.post(`/api-keys/${revoked.apiKey.id}/revoke`);
const { data: environments } = (await tenant.get('/environments')).json<{ data: { id: string }[] }>();
const empty = await aWidgetKey(environments.find(({ id }) => id !== tenant.environmentId)?.id);
const { secret: serverKey } = await aKey(tenant);
const mistyped = bot.publicKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

interface TestPage {
  html: string;
  headers?: Record<string, string>;
}
const withPolicy = (policy: string, snippet = embed()): TestPage => ({
  html: html(snippet),
  headers: { 'content-security-policy': policy },
});
const allowed = `script-src ${cdn}; connect-src ${cdn}`;

type Case = [name: string, page: TestPage, causes: string[]];
const cases: Case[] = [
  ['healthy', { html: html(embed()) }, []],
  ['healthy, in the head', { html: html('', embed()) }, []],
  [
    'healthy, under the strictest policy',
    withPolicy(
      `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${cdn}; require-trusted-types-for 'script'`,
      embed('nonce="abc"'),
    ),
    [],
  ],
  ['healthy, in a frame', withPolicy(`${allowed}; frame-src ${cdn}`, embed('data-isolation="iframe"')), []],
  [
    'healthy, next to unrelated errors',
    withPolicy(allowed, `<script src="http://localhost:9/x.js"></script><script>1</script>${embed()}`),
    [],
  ],
  ['no snippet', { html: html() }, ['no_snippet']],
  ['a snippet in a comment', { html: html(`<!-- ${embed()} -->`) }, ['no_snippet']],
  ['blocked by a consent manager', { html: html(embed('type="text/plain"')) }, ['script_not_executed']],
  [
    'a URL without a script',
    { html: html(tag(bot.publicKey, bot.botId, `${cdnUrl}/widget.js`)) },
    ['script_not_found'],
  ],
  ['a URL of a page', { html: html(tag(bot.publicKey, bot.botId, `${site.site.url}/`)) }, ['script_not_found']],
  [
    'an unreachable URL',
    { html: html(tag(bot.publicKey, bot.botId, 'http://localhost:9/cdn/chatbot-widget.js')) },
    ['script_unreachable'],
  ],
  [
    'a script that does not match its integrity',
    { html: html(embed(`integrity="sha384-${'A'.repeat(64)}" crossorigin="anonymous"`)) },
    ['script_changed'],
  ],
  ['script-src', withPolicy(`script-src 'self'; connect-src ${cdn}`), ['blocked_by_policy script-src']],
  ['default-src only', withPolicy("default-src 'self'"), ['blocked_by_policy script-src']],
  [
    'a nonce that the element does not have',
    withPolicy(`script-src 'nonce-abc' 'strict-dynamic'; connect-src ${cdn}`),
    ['blocked_by_policy script-src'],
  ],
  ['connect-src', withPolicy(`script-src ${cdn}; connect-src 'self'`), ['blocked_by_policy connect-src']],
  [
    'connect-src, in a meta element',
    { html: html(embed(), `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`) },
    ['blocked_by_policy connect-src'],
  ],
  [
    'frame-src',
    withPolicy(`${allowed}; frame-src 'self'`, embed('data-isolation="iframe"')),
    ['blocked_by_policy frame-src'],
  ],
  ['a mistyped key', { html: html(tag(mistyped, bot.botId)) }, ['key_malformed']],
  ['a truncated key', { html: html(tag(bot.publicKey.slice(0, 30), bot.botId)) }, ['key_malformed']],
  ['a truncated server key', { html: html(tag(serverKey.slice(0, 40), bot.botId)) }, ['key_malformed']],
  ['a revoked key', { html: html(tag(revoked.secret, bot.botId)) }, ['key_refused']],
  ['a server key', { html: html(tag(serverKey, bot.botId)) }, ['server_key_in_page']],
  [
    'a server key elsewhere in the page',
    { html: html(`<script>const key = '${serverKey}'</script>${embed()}`) },
    ['server_key_in_page'],
  ],
  ['no src', { html: html(embed().replace(/src="[^"]+"/, '')) }, ['attribute_missing']],
  ['a bot of another tenant', { html: html(tag(bot.publicKey, paused.botId)) }, ['bot_mismatch']],
  ['a paused bot', { html: html(tag(paused.publicKey, paused.botId)) }, ['bot_paused']],
  ['a bot that is not in that environment', { html: html(tag(empty.secret, bot.botId)) }, ['bot_not_published']],
  [
    'an origin that the bot does not allow',
    { html: html(tag(otherOrigin.publicKey, otherOrigin.botId)) },
    ['origin_not_allowed'],
  ],
  ['a misspelt attribute', { html: html(embed().replace('data-bot-id', 'data-botid')) }, ['attribute_misspelt']],
  ['no key', { html: html(embed().replace(/data-public-key="\w+"/, '')) }, ['attribute_missing']],
  ['twice', { html: html(embed() + embed()) }, ['loaded_twice']],
  ['a wrong clock', { html: html(tag(bot.publicKey, bot.botId, `${lateCdn}/chatbot-widget.js`)) }, ['clock_off']],
];

interface DiagnoseOptions {
  launch?: Launch | undefined;
}
/** One browser for all pages, with a context each. */
const launchInContext = async (contextOptions: BrowserContextOptions = {}) => {
  const context = await site.browser.newContext(contextOptions);
  return { newPage: () => context.newPage(), close: () => context.close() } as unknown as Browser;
};
const launch: Launch = () => launchInContext();
const modes: Record<string, DiagnoseOptions> = { browser: { launch }, fetch: {} };
const causesOf = async (page: string, mode: DiagnoseOptions) =>
  (await diagnose(page, mode)).map(({ cause, message }) => [cause, ...(/[a-z]+-src/.exec(message) ?? [])].join(' '));

/**
 * A browser is slow: per commit, it opens one page for each cause that it finds in another way than fetch does. A full run
 * opens all pages.
 */
const seenByBrowser = [
  '',
  'no_snippet',
  'script_not_executed',
  'script_unreachable',
  'attribute_missing',
  'loaded_twice',
];
const isSeenByBrowser = (cause: string) => seenByBrowser.includes(cause) || cause.startsWith('blocked_by_policy');
const casesInBrowser = cases.filter(
  ([, , causes], n) =>
    isFull || (isSeenByBrowser(causes.join()) && n === cases.findIndex((one) => one[2].join() === causes.join())),
);

describe.each(Object.entries(modes))('by %s', (_mode, options) => {
  test.for(options.launch ? casesInBrowser : cases)('%s', async ([name, page, expected]) => {
    const path = `/${encodeURIComponent(name)}`;
    site.site.pages.set(path, page);
    expect(await causesOf(`${site.site.url}${path}`, options)).toEqual(expected);
  });

  test('a script over HTTP in a page over HTTPS', async () => {
    const certificate = await (await anAuthority('shop')).certify('localhost');
    const page = html(tag(bot.publicKey, bot.botId, 'http://cdn.example/cdn/chatbot-widget.js'));
    const port = await listen(createHttps(certificate, (_request, response) => void response.end(page)));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'); // the shop's authority is not trusted
    const launch = options.launch && (() => launchInContext({ ignoreHTTPSErrors: true }));
    expect(await causesOf(`https://localhost:${port}/`, { launch })).toEqual(['mixed_content']);
    vi.unstubAllEnvs();
  });
});

test('finds a snippet that a tag manager adds later in a browser only', async () => {
  const adding = `const script = document.createElement('script');
    Object.assign(script, { src: '${cdnUrl}/chatbot-widget.js', async: true });
    script.dataset.publicKey = '${bot.publicKey}';
    script.dataset.botId = '${bot.botId}';
    document.body.append(script);`;
  site.site.pages.set('/manager', { html: html(`<script>setTimeout(() => { ${adding} }, 300)</script>`) });
  expect(await causesOf(`${site.site.url}/manager`, modes['browser'] ?? {})).toEqual([]);
  expect(await causesOf(`${site.site.url}/manager`, {})).toEqual(['no_snippet']);
});

test('reports a script added by innerHTML, which never runs', async () => {
  const inner = JSON.stringify(embed()).replaceAll('</', '<\\/');
  site.site.pages.set('/inner', { html: html(`<div id="chat"></div><script>chat.innerHTML = ${inner}</script>`) });
  expect(await causesOf(`${site.site.url}/inner`, modes['browser'] ?? {})).toEqual(['no_button']);
});

test('reports a network that blocks the script in the browser', async () => {
  const loopbackCdn = cdnUrl.replace('localhost', '127.0.0.1');
  site.site.pages.set('/kept', { html: html(tag(bot.publicKey, bot.botId, `${loopbackCdn}/chatbot-widget.js`)) });
  const launch = () => launchChromium(['--host-resolver-rules=MAP 127.0.0.1 ~NOTFOUND']);
  expect(await causesOf(`${site.site.url}/kept`, { launch })).toEqual(['script_blocked']);
});

test('exits with 0 or 1 and prints the findings as text or JSON', async () => {
  const terminal = aTerminal();
  site.site.pages.set('/good', { html: html(embed()) });
  site.site.pages.set('/shouting', { html: html(tag(serverKey, bot.botId)) });
  const good = await terminal.run('doctor', `${site.site.url}/good`, '--no-browser');
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems found') });
  const bad = await terminal.run('doctor', `${site.site.url}/shouting`, '--no-browser');
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('A SERVER KEY IS EXPOSED ON THE PAGE') });
  expect(bad.stdout).not.toContain(serverKey);
  const { code, stdout } = await terminal.run('doctor', `${site.site.url}/shouting`, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ by: 'browser', findings: [{ cause: 'server_key_in_page' }] });
  expect((await terminal.run('doctor', 'http://localhost:9/', '--json')).code).toBe(6);
});
