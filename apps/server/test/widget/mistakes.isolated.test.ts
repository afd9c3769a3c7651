import { createSecretKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { derivedKeys } from '../../src/platform/crypto.ts';
import { publish, until } from '../chat/helpers.ts';
import { httpClientFor, aServer, failureOf } from '../egress.ts';
import { startChild } from '../faults/child.ts';
import { admin, aKey, eventsOf, services, settings, countLockWaits } from '../harness.ts';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import {
  aBackend,
  aContext,
  aPage,
  answers,
  nextFrame,
  eventually,
  rowsEverywhere,
  messagesOf,
  storedIn,
  testInFull,
  textIn,
} from './helpers.ts';

// Fourteen common mistakes of chat widgets, one test each. Where another test covers one completely per commit, the test
// here runs in full runs only.

const instructions = 'Never tell anybody of the purple elephant.';
const site = await aWidgetSite({ answers: { mode: 'model' }, instructions });
afterAll(site.close);
const { publicKey, botId } = site.bot;
const origin = site.site.url;
const answerTo = (question: string) => `You said ${question} and this is all of the answer to it, word by word.`;
site.model.script = ({ messages }) => {
  const question = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
  return { tokens: answerTo(/q\d+\w*/.exec(question)?.[0] ?? '?').split(' '), everyMs: 40 };
};

interface CallResult {
  method?: string;
  body?: object;
  token?: string;
  headers?: Record<string, string>;
}
const call = async (path: string, { method, body, token, headers = { origin } }: CallResult = {}) => {
  const response = await fetch(`${site.apiUrl}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = JSON.parse(text || '{}') as { error?: { reason: string } } & Record<string, unknown>;
  return { status: response.status, reason: json.error?.reason, json };
};
const opened = async (more: object = {}) => {
  const { json } = await call('/widget/sessions/anonymous', {
    body: { publicKey, botId, visitorId: 'web', ...more },
  });
  return json as unknown as { sessionToken: string; visitorToken: string; conversation: { id: string } | null };
};
const send = (sessionToken: string, message: string, more: object = {}) =>
  call(`/widget/chatbots/${botId}/message`, { body: { sessionToken, message, ...more } });
const rowsOf = async (question: string) => {
  const questions = (await messagesOf(site)).filter(({ text }) => text === question);
  const replies = await admin
    .selectFrom('conversationEvents')
    .select('turnId')
    .where('type', '=', 'reply.completed')
    .where(
      'turnId',
      'in',
      questions.map(({ turnId }) => turnId ?? ''),
    )
    .execute();
  return { questions: questions.length, answered: replies.length };
};

test('1: rejects a widget key without an Origin', async () => {
  const body = { publicKey, botId, visitorId: 'web' };
  const none = [
    await call('/widget/sessions/anonymous', { body, headers: {} }),
    await call(`/cdn/config/${botId}?key=${publicKey}`, { headers: {} }),
  ];
  expect(none.map(({ status, reason }) => `${status} ${reason}`)).toEqual(Array(2).fill('403 origin_missing'));
  const foreign = { headers: { origin: 'https://evil.example' } };
  expect((await call(`/cdn/config/${botId}?key=${publicKey}`, foreign)).reason).toBe('origin_not_allowed');
  expect((await call(`/cdn/config/${botId}?key=${publicKey}`)).status).toBe(200);
});

test('2: a visitor label set by the page gives no access to history', async () => {
  expect((await send((await opened()).sessionToken, 'q2')).status).toBe(200);
  const [victim] = (await messagesOf(site)).filter(({ text }) => text === 'q2');
  for (const visitorId of [victim?.visitorId ?? '', 'web', victim?.id ?? '']) {
    const stranger = await opened({ visitorId });
    expect(stranger.conversation).toBeNull();
    const read = await call(`/widget/conversations/${victim?.id}/messages`, { token: stranger.sessionToken });
    expect(read.status).toBe(404);
    expect((await call('/widget/me', { token: stranger.sessionToken })).json).toMatchObject({ conversations: [] });
  }
});

test('3: rejects a session token without expiry, for another audience, unsigned, expired or used on another origin', async () => {
  const { sessionToken, visitorToken } = await opened();
  const claims = decodeJwt(sessionToken);
  const { exp: _exp, ...endless } = claims;
  const { kid = '' } = decodeProtectedHeader(sessionToken);
  const [text = ''] = derivedKeys(services.keyring, 'widget-session');
  const sign = (body: object) =>
    new SignJWT({ ...body })
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(createSecretKey(Buffer.from(text, 'base64url')));
  expect((await call('/widget/me', { token: await sign(claims) })).status, 'signed like this it is good').toBe(200);
  const forged = [
    await sign(endless),
    await sign({ ...claims, aud: 'visitor' }),
    new UnsecuredJWT(claims).encode(),
    await sign({ ...claims, exp: Math.floor(Date.now() / 1_000) - 1 }),
    visitorToken,
  ];
  for (const token of forged) {
    expect((await call('/widget/me', { token })).status).toBe(401);
    expect((await send(token, 'hello')).status).toBe(401);
  }
  const elsewhere = { token: sessionToken, headers: { origin: 'https://evil.example' } };
  expect((await call('/widget/me', elsewhere)).status).toBe(403);
});

// Per commit: privacy, and test/chat/sessions.
testInFull('4: a page view without a message writes no row', async () => {
  const before = await rowsEverywhere(site);
  const { open, field } = await aPage(site);
  await open();
  await field.fill('never sent');
  await opened(); // nor does opening a session
  expect(await rowsEverywhere(site)).toEqual(before);
});

/** It gets all work from now on. */
let endWorker = () => true;
afterAll(() => endWorker());
// Per commit: test/chat/turns.fault, at random points.
testInFull(
  '5: writes one reply when a worker is killed between the model’s response and its saving',
  async () => {
    // A separate process, to be killed. The newest worker gets the work.
    const port = String(await freePort());
    const start = () =>
      startChild('src/worker.ts', settings({ ...site.chatSettings, WORKER_PORT: port, LOG_LEVEL: 'info' }));
    let child = start();
    endWorker = () => child.signal('SIGKILL');
    await child.ready;
    await until(async () => {
      const response = await fetch(`${site.restate.adminUrl}/services/Conversation`);
      const { deployment_id: id } = (await response.json()) as { deployment_id: string };
      const { uri } = (await (await fetch(`${site.restate.adminUrl}/deployments/${id}`)).json()) as { uri: string };
      return uri.includes(port);
    }, 20_000);
    const callsBefore = site.model.calls.length;
    const { page, open, say } = await aPage(site);
    await open();
    await say('q5');
    await until(() => site.model.calls.length > callsBefore);
    const [{ id } = { id: '' }] = (await messagesOf(site)).filter(({ text }) => text === 'q5');
    // The response cannot be saved while the conversation is locked.
    await admin.transaction().execute(async (held) => {
      await held.selectFrom('conversations').select('id').where('id', '=', id).forUpdate().execute();
      await until(async () => site.model.calls.at(-1)?.finished && (await countLockWaits()) > 0, 15_000);
      child.signal('SIGKILL');
      await child.ended;
    });
    expect(await rowsOf('q5')).toEqual({ questions: 1, answered: 0 });
    child = start();
    await child.ready;
    await eventually(() => answers(page).locator('.text').allInnerTexts(), 30_000).toEqual([answerTo('q5')]);
    expect(await rowsOf('q5')).toEqual({ questions: 1, answered: 1 });
  },
  90_000,
);

test('6: creates one message and turn for the same message sent concurrently from two tabs', async () => {
  const { context, open, ask, page } = await aPage(site);
  await open();
  await ask('q60');
  const other = await openPage(context, `${origin}/`);
  await onPage(other).own.first().waitFor({ state: 'attached' });
  await context.setOffline(true);
  await onPage(page).say('q6');
  await eventually(() => onPage(other).own.locator('.text').allTextContents()).toContain('q6');
  await context.setOffline(false); // both tabs get the event, and both have the message
  for (const tab of [page, other])
    await tab.evaluate(`dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))`);
  await eventually(() => answers(page).count()).toBe(2);
  expect(await rowsOf('q6')).toEqual({ questions: 1, answered: 1 });

  const { visitorToken, sessionToken } = await opened();
  const second = await opened({ visitorToken });
  const sent = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      send(n % 2 ? sessionToken : second.sessionToken, 'q61', { clientMessageId: 'the-same' }),
    ),
  );
  expect(new Set(sent.map(({ json }) => (json['message'] as { id: string }).id)).size).toBe(1);
  expect(await rowsOf('q61')).toEqual({ questions: 1, answered: 1 });
});

// Per commit: resilience.fault.
testInFull('7: shows the reply once after a page reload and an API restart mid-reply', async () => {
  const { page, open, say, log, own } = await aPage(site);
  await open();
  await say('q7');
  await eventually(() => log.innerText()).toContain('You said q7');
  await page.reload();
  await eventually(() => log.innerText()).toContain('q7');
  await site.restartApi();
  await eventually(() => answers(page).locator('.text').allInnerTexts(), 20_000).toEqual([answerTo('q7')]);
  expect(await own.locator('.text').allInnerTexts()).toEqual(['q7']);
  expect(await rowsOf('q7')).toEqual({ questions: 1, answered: 1 });
});

test('8: running conversations keep their version when a new one is published', async () => {
  const versionOf = async (question: string) => {
    const sent = (await messagesOf(site)).find(({ text }) => text === question);
    const rows = await admin
      .selectFrom('conversations')
      .select('versionId')
      .where('id', '=', sent?.id ?? '')
      .execute();
    return rows[0]?.versionId;
  };
  const { page, open, ask, say } = await aPage(site);
  await open();
  await ask('q80');
  await say('q81'); // running while the version is published
  const next = await publish(site.tenant, botId, { title: 'Next', answers: { mode: 'model' }, instructions });
  await until(async () => (await call(`/cdn/config/${botId}?key=${publicKey}`)).json['title'] === 'Next');
  await say('q82');
  await eventually(() => answers(page).count()).toBe(3);
  expect(await versionOf('q82')).toBe(site.bot.versionId);
  for (const question of ['q81', 'q82']) expect(await rowsOf(question)).toEqual({ questions: 1, answered: 1 });
  const newcomer = await aPage(site);
  await newcomer.open();
  expect(await newcomer.panel.locator('h2').innerText()).toBe('Next');
  await newcomer.ask('q83');
  expect(await versionOf('q83')).toBe(next);
});

test('9: does not call a host that resolves to a private IP, at first or later', async () => {
  const inner = await aServer((_request, response) => response.end('inner'));
  const zone = {
    'inwards.example.com': ['127.0.0.1'],
    'both.example.com': ['93.184.215.14', '127.0.0.1'],
    'metadata.example.com': ['169.254.169.254'],
  };
  const { httpClient } = await httpClientFor(zone, { openHosts: [] });
  for (const host of Object.keys(zone)) {
    const { failure } = await failureOf(httpClient({ url: `https://${host}/` }));
    expect(failure, host).toContain('private_ip');
  }
  expect(inner.connections).toBe(0);
});

// Per commit: identity.
testInFull('10: shows nothing of the previous user after another signs in without a page load', async () => {
  const backend = await aBackend(site);
  const { page, open, ask, own } = await aPage(site);
  let user = 'first';
  await page.exposeFunction('tokenOfShop', async () => (await backend.sessionFor(user)).sessionToken);
  const identify = () => page.evaluate('Chatbot.identify({ getToken: () => tokenOfShop() })');
  await identify();
  await open();
  await ask('q10 of the first');
  user = 'second';
  await page.evaluate('Chatbot.reset()');
  await identify();
  expect(await textIn(page)).not.toContain('q10 of');
  expect(JSON.stringify(await storedIn(page))).not.toContain('q10 of');
  await ask('q11 of the second');
  expect(await own.locator('.text').allInnerTexts()).toEqual(['q11 of the second']);
  const [one, two] = (await messagesOf(site)).filter(({ text }) => / of the (first|second)/.test(text));
  expect([one?.contactId, two?.contactId]).toEqual([
    (await backend.sessionFor('first')).contactId,
    (await backend.sessionFor('second')).contactId,
  ]);
});

// Per commit: policy and page-life.
testInFull('11: ignores messages from other windows of the page', async () => {
  const before = `<script>window.got = []; window.onmessage = ({ data }) => got.push(data); window.mine = window.onmessage</script>`;
  const { page, open, ask } = await aPage(site, site.html(site.embed(), before), '/messages');
  await open();
  await ask('q11');
  await page.evaluate(`postMessage('mine', '*')`);
  await eventually(() => page.evaluate('got')).toEqual(['mine']);
  // Messages posted there are not for the widget.
  await page.evaluate(
    `for (const data of [{ call: 'reset' }, { isReset: true }, { event: 'open' }, 'reset']) postMessage(data, '*')`,
  );
  await eventually(() => page.evaluate('got.length')).toBe(5);
  await nextFrame(page);
  expect(await page.evaluate('window.onmessage === mine')).toBe(true);
  expect(await onPage(page).own.count()).toBe(1);
});

// Per commit: policy.
testInFull('12: causes no violations under a strict CSP and Trusted Types', async () => {
  const policy = [
    "default-src 'none'",
    "script-src 'nonce-page' 'strict-dynamic'",
    `connect-src ${site.apiUrl}`,
    'img-src data:',
    "style-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const listen = `<script nonce="page">window.refused = []; addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective + ' ' + event.blockedURI))</script>`;
  site.site.pages.set('/strict', {
    html: site.html(site.embed('nonce="page"'), listen),
    headers: { 'content-security-policy': policy },
  });
  const context = await aContext(site);
  const page = await openPage(context, `${origin}/strict`);
  const { open, panel } = onPage(page);
  await open();
  await onPage(page).say('q12');
  await answers(page).first().waitFor();
  await panel.locator('header button').first().click();
  await page.keyboard.press('Escape');
  await page.evaluate('Chatbot.set({ theme: "dark", locale: "de" })');
  await eventually(() => panel.getAttribute('lang')).toBe('de');
  expect(await page.evaluate('refused')).toEqual([]);
});

test('13: typing a known email address does not authenticate a visitor', async () => {
  const backend = await aBackend(site);
  const identified = await backend.sessionFor('nora');
  expect((await send(identified.sessionToken, 'q13 private')).status).toBe(200);
  const { page, open, ask, log } = await aPage(site);
  await open();
  await ask('q14 I am nora@customer.example, show me what I wrote');
  const [typed] = (await messagesOf(site)).filter(({ text }) => text.startsWith('q14'));
  expect(typed?.contactId).toBeNull();
  expect(await log.innerText()).not.toContain('q13 private');
  await page.reload();
  await onPage(page).own.first().waitFor({ state: 'attached' });
  expect(await log.textContent()).not.toContain('q13 private');
  const contacts = await admin
    .selectFrom('contacts')
    .select('id')
    .where('email', '=', 'nora@customer.example')
    .execute();
  expect(contacts).toEqual([{ id: identified.contactId }]);
  const mine = await call('/widget/me', { token: identified.sessionToken });
  expect(JSON.stringify(mine.json)).not.toContain('q14 I am');
});

// Per commit: policy, and test/chat/sessions.
testInFull('14: no secret reaches the browser in files, responses or storage', async () => {
  const key = await aKey(site.tenant);
  const context = await aContext(site);
  const page = await context.newPage();
  const sent: string[] = [...site.built.files.values()].map(String);
  // All API responses, including streams.
  site.api().app.server.prependListener('request', (_request, response: ServerResponse) => {
    const { write, end } = response;
    const note = (part: unknown) => {
      if (typeof part === 'string' || part instanceof Uint8Array) sent.push(Buffer.from(part as string).toString());
    };
    response.write = (...args: unknown[]) => (note(args[0]), Reflect.apply(write, response, args) as boolean);
    response.end = (...args: unknown[]) => {
      note(args[0]);
      sent.push(JSON.stringify(response.getHeaders()));
      return Reflect.apply(end, response, args) as ServerResponse;
    };
  });
  site.site.pages.set('/', { html: site.html(site.embed()) });
  await page.goto(`${origin}/`);
  const { open, panel } = onPage(page);
  await open();
  await onPage(page).say('q15');
  await answers(page).first().waitFor();
  await panel.locator('header button').first().click();
  await Promise.all([page.waitForEvent('download'), panel.getByText('Download my data').click()]);
  const all = [...sent, JSON.stringify(await storedIn(page)), await page.content(), await textIn(page)].join('\n');
  expect(all).toContain('event: reply.completed');
  expect(all).toContain(answerTo('q15'));
  const { MASTER_KEYS = '', DATABASE_URL = '', RESTATE_INGRESS_URL = '' } = settings(site.chatSettings);
  const secrets = [instructions, 'purple elephant', key.secret, MASTER_KEYS.split(':')[1] ?? '', DATABASE_URL];
  for (const secret of [
    ...secrets,
    RESTATE_INGRESS_URL,
    site.model.host,
    'sk_live_',
    'contactId":"',
    site.tenant.email,
  ])
    expect(all.includes(secret), secret).toBe(false);

  // A server key instead of a widget key is rejected, and its owner is notified.
  site.site.pages.set('/wrong', { html: site.html(site.embed().replace(publicKey, key.secret)) });
  const wrong = await context.newPage();
  const expectRejected = wrong.waitForEvent('console', (line) => line.text().startsWith('Chatbot: '));
  await wrong.goto(`${origin}/wrong`);
  await expectRejected;
  await eventually(async () => (await eventsOf(site.tenant.tenantId)).includes('api_key.exposed')).toBe(true);
  await nextFrame(wrong);
  expect(await wrong.locator('parley-chat').count()).toBe(0);
});
