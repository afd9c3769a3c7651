import { createServer, request as ask } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { Browser } from 'playwright-core';
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

// Pages that are broken in one way each, on the real service. The doctor names that one cause and nothing else: with a
// browser, and without one as far as that can know.

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

/** The service behind a proxy that lives nine minutes ago. */
const late = createServer(({ url, headers }, response) => {
  const inner = ask(`${site.apiUrl}${url}`, { headers: { ...headers, host: new URL(site.apiUrl).host } }, (answer) => {
    const date = new Date(Date.now() - 540_000).toUTCString();
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
    answer.pipe(response);
  });
  inner.end();
});
const lateCdn = `http://localhost:${await listen(late)}/cdn`;

const paused = await aBotOfAnother({ status: 'paused' });
const elsewhere = await aBotOfAnother({ allowedOrigins: ['https://shop.example'] });
async function aBotOfAnother(change: object) {
  const owner = await aTenant();
  const made = await aBot(owner);
  const changed = await owner.patch(`/bots/${made.botId}`, { allowedOrigins: [site.site.url], ...change });
  expect(changed.statusCode, changed.body).toBe(200);
  return made;
}
async function aWidgetKey(environmentId = tenant.environmentId) {
  const { botId: boundBotId } = bot;
  const made = await tenant.post('/api-keys', { name: 'Page', keyType: 'public_widget', boundBotId, environmentId });
  return made.json<{ secret: string; apiKey: { id: string } }>();
}
const revoked = await aWidgetKey();
await tenant.post(`/api-keys/${revoked.apiKey.id}/revoke`);
const { data: environments } = (await tenant.get('/environments')).json<{ data: { id: string }[] }>();
const empty = await aWidgetKey(environments.find(({ id }) => id !== tenant.environmentId)?.id);
const { secret: serverKey } = await aKey(tenant);
const mistyped = bot.publicKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

interface Broken {
  html: string;
  headers?: Record<string, string>;
}
const under = (policy: string, snippet = embed()): Broken => ({
  html: html(snippet),
  headers: { 'content-security-policy': policy },
});
const allowed = `script-src ${cdn}; connect-src ${cdn}`;

type Case = [name: string, page: Broken, told: string[]];
const cases: Case[] = [
  ['healthy', { html: html(embed()) }, []],
  ['healthy, in the head', { html: html('', embed()) }, []],
  [
    'healthy, under the strictest policy',
    under(
      `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${cdn}; require-trusted-types-for 'script'`,
      embed('nonce="abc"'),
    ),
    [],
  ],
  ['healthy, in a frame', under(`${allowed}; frame-src ${cdn}`, embed('data-isolation="iframe"')), []],
  [
    'healthy, beside what fails of its own',
    under(allowed, `<script src="http://localhost:9/x.js"></script><script>1</script>${embed()}`),
    [],
  ],
  ['no snippet', { html: html() }, ['no_snippet']],
  ['a snippet in a comment', { html: html(`<!-- ${embed()} -->`) }, ['no_snippet']],
  ['held back by a consent manager', { html: html(embed('type="text/plain"')) }, ['script_not_executed']],
  [
    'an address without a script',
    { html: html(tag(bot.publicKey, bot.botId, `${cdnUrl}/widget.js`)) },
    ['script_not_found'],
  ],
  ['an address of a page', { html: html(tag(bot.publicKey, bot.botId, `${site.site.url}/`)) }, ['script_not_found']],
  [
    'an address where nobody answers',
    { html: html(tag(bot.publicKey, bot.botId, 'http://localhost:9/cdn/chatbot-widget.js')) },
    ['script_unreachable'],
  ],
  [
    'another script than is pinned',
    { html: html(embed(`integrity="sha384-${'A'.repeat(64)}" crossorigin="anonymous"`)) },
    ['script_changed'],
  ],
  ['script-src', under(`script-src 'self'; connect-src ${cdn}`), ['blocked_by_policy script-src']],
  ['default-src alone', under("default-src 'self'"), ['blocked_by_policy script-src']],
  [
    'a nonce that the element does not carry',
    under(`script-src 'nonce-abc' 'strict-dynamic'; connect-src ${cdn}`),
    ['blocked_by_policy script-src'],
  ],
  ['connect-src', under(`script-src ${cdn}; connect-src 'self'`), ['blocked_by_policy connect-src']],
  [
    'connect-src, in a meta element',
    { html: html(embed(), `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`) },
    ['blocked_by_policy connect-src'],
  ],
  [
    'frame-src',
    under(`${allowed}; frame-src 'self'`, embed('data-isolation="iframe"')),
    ['blocked_by_policy frame-src'],
  ],
  ['a key that is mistyped', { html: html(tag(mistyped, bot.botId)) }, ['key_malformed']],
  ['a key that is cut', { html: html(tag(bot.publicKey.slice(0, 30), bot.botId)) }, ['key_malformed']],
  ['a server key that is cut', { html: html(tag(serverKey.slice(0, 40), bot.botId)) }, ['key_malformed']],
  ['a key that is revoked', { html: html(tag(revoked.secret, bot.botId)) }, ['key_refused']],
  ['a server key', { html: html(tag(serverKey, bot.botId)) }, ['server_key_in_page']],
  [
    'a server key somewhere else in the page',
    { html: html(`<script>const key = '${serverKey}'</script>${embed()}`) },
    ['server_key_in_page'],
  ],
  ['no address at all', { html: html(embed().replace(/src="[^"]+"/, '')) }, ['attribute_missing']],
  ['a bot of somebody else', { html: html(tag(bot.publicKey, paused.botId)) }, ['bot_mismatch']],
  ['a bot that is paused', { html: html(tag(paused.publicKey, paused.botId)) }, ['bot_paused']],
  ['a bot that is not in that environment', { html: html(tag(empty.secret, bot.botId)) }, ['bot_not_published']],
  [
    'a page that the bot does not allow',
    { html: html(tag(elsewhere.publicKey, elsewhere.botId)) },
    ['origin_not_allowed'],
  ],
  ['an old spelling', { html: html(embed().replace('data-bot-id', 'data-botid')) }, ['attribute_misspelt']],
  ['no key at all', { html: html(embed().replace(/data-public-key="\w+"/, '')) }, ['attribute_missing']],
  ['twice', { html: html(embed() + embed()) }, ['loaded_twice']],
  ['a clock that is off', { html: html(tag(bot.publicKey, bot.botId, `${lateCdn}/chatbot-widget.js`)) }, ['clock_off']],
];

interface Way {
  launch?: Launch | undefined;
}
/** One for all pages: what is closed after each is its context. */
const launch: Launch = async () => {
  const context = await site.browser.newContext();
  return { newPage: () => context.newPage(), close: () => context.close() } as unknown as Browser;
};
const ways: Record<string, Way> = { browser: { launch }, fetch: {} };
const told = async (page: string, way: Way) =>
  (await diagnose(page, way)).map(({ cause, message }) => [cause, ...(/[a-z]+-src/.exec(message) ?? [])].join(' '));

/** A browser takes its time: each cause once, or all pages in full. A script that is not the pinned one is found without a browser, which waits for it in vain. */
const eachCause = cases.filter(
  ([, , causes], n) =>
    isFull || (n === cases.findIndex((one) => one[2].join() === causes.join()) && causes[0] !== 'script_changed'),
);

describe.each(Object.entries(ways))('by %s', (_way, options) => {
  test.for(options.launch ? eachCause : cases)('%s', async ([name, page, expected]) => {
    const path = `/${encodeURIComponent(name)}`;
    site.site.pages.set(path, page);
    expect(await told(`${site.site.url}${path}`, options)).toEqual(expected);
  });

  test('a script over HTTP in a page over HTTPS', async () => {
    const certificate = await (await anAuthority('shop')).certify('localhost');
    const page = html(tag(bot.publicKey, bot.botId, 'http://cdn.example/cdn/chatbot-widget.js'));
    const port = await listen(createHttps(certificate, (_request, response) => void response.end(page)));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'); // the shop's authority is nobody's
    const launch = options.launch && (() => launchChromium(['--ignore-certificate-errors']));
    expect(await told(`https://localhost:${port}/`, { launch })).toEqual(['mixed_content']);
    vi.unstubAllEnvs();
  });
});

test('a tag manager that adds the snippet later: seen in a browser, and only there', async () => {
  const adding = `const script = document.createElement('script');
    Object.assign(script, { src: '${cdnUrl}/chatbot-widget.js', async: true });
    script.dataset.publicKey = '${bot.publicKey}';
    script.dataset.botId = '${bot.botId}';
    document.body.append(script);`;
  site.site.pages.set('/manager', { html: html(`<script>setTimeout(() => { ${adding} }, 300)</script>`) });
  expect(await told(`${site.site.url}/manager`, ways['browser'] ?? {})).toEqual([]);
  expect(await told(`${site.site.url}/manager`, {})).toEqual(['no_snippet']);
});

test('a script that was put there by innerHTML never runs', async () => {
  const inner = JSON.stringify(embed()).replaceAll('</', '<\\/');
  site.site.pages.set('/inner', { html: html(`<div id="chat"></div><script>chat.innerHTML = ${inner}</script>`) });
  expect(await told(`${site.site.url}/inner`, ways['browser'] ?? {})).toEqual(['no_button']);
});

test('a network that keeps the browser from the script', async () => {
  const there = cdnUrl.replace('localhost', '127.0.0.1');
  site.site.pages.set('/kept', { html: html(tag(bot.publicKey, bot.botId, `${there}/chatbot-widget.js`)) });
  const launch = () => launchChromium(['--host-resolver-rules=MAP 127.0.0.1 ~NOTFOUND']);
  expect(await told(`${site.site.url}/kept`, { launch })).toEqual(['script_blocked']);
});

test('0 and 1: the command says what is wrong, to people and as JSON', async () => {
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
