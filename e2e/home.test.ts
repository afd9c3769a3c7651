import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { freePort } from '../tools/stack/index.ts';
import { anOrganisation } from './an-organisation.ts';
import { customerSite } from './a-site.ts';
import { aBrowser, demo, portalSettings, signIn, waitForHydration } from './browser.ts';
import { anOperator, operatorToken } from './operators.ts';
import { aNewcomer, post, requestHandoff } from './people.ts';
import { open, region } from './steps.ts';

const change = async (path: string, body: object, headers: Record<string, string>) => {
  const init = { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' } };
  const response = await fetch(demo.apiUrl + path, { ...init, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(200);
};

/** A published bot of this person, with its widget key and a site that may show it. */
async function aPublishedBot(person: { email: string; password: string }) {
  const site = await customerSite();
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', person);
  const headers = { authorization: `Bearer ${accessToken}` };
  const { bot } = await post<{ bot: { id: string; workspaceId: string } }>(
    '/bots',
    { name: 'Nori', allowedOrigins: [site.url] },
    headers,
  );
  const environments = await fetch(`${demo.apiUrl}/environments`, { headers });
  const { data } = (await environments.json()) as { data: { id: string; name: string }[] };
  const idOf = (environment: string) => data.find(({ name }) => name === environment)?.id;
  const { version } = await post<{ version: { id: string } }>(`/bots/${bot.id}/versions`, {}, headers);
  const deployTo = (environment: 'live' | 'test') =>
    post(`/bots/${bot.id}/deployments`, { environmentId: idOf(environment), versionId: version.id }, headers);
  const { workspaceId } = bot;
  const widgetKey = { name: 'Nori widget', keyType: 'public_widget', boundBotId: bot.id, workspaceId };
  const key = { ...widgetKey, environmentId: idOf('live'), permissions: [] };
  const { secret } = await post<{ secret: string }>('/api-keys', key, headers);
  const pause = () => change(`/bots/${bot.id}`, { status: 'paused' }, headers);
  return { id: bot.id, publicKey: secret, site, deployTo, pause };
}

test('Home shows the checklist until the bot is live, and then only what applies, also while the bot is paused', async () => {
  const person = await aNewcomer();
  const { page, problems } = await aBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, person);
  await open(page, '/');
  const setup = region(page, 'Set up your bot');
  await setup.waitFor();
  expect(await page.getByRole('region').count()).toBe(1);

  const bot = await aPublishedBot(person);
  await bot.deployTo('test');
  await open(page, '/');
  await setup.waitFor();
  await bot.deployTo('live');
  await open(page, '/');
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  expect(await setup.count()).toBe(0);
  for (const empty of ['Waiting for an agent', 'Unanswered questions', 'Failing endpoints'])
    expect(await page.getByText(empty).count(), empty).toBe(0);
  await page.getByText('All clear.').waitFor();

  // Published, but on no page yet.
  await page.getByRole('link', { name: 'Install it' }).click();
  await page.waitForURL(`${demo.portalUrl}/bots/${bot.id}/install`);
  await waitForHydration(page);
  await page.getByText('Not seen on a website yet.').waitFor();
  const reloads: string[] = [];
  page.on('request', (request) => request.url().includes('.data') && reloads.push(request.url()));
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  expect(snippet).toContain(`data-public-key="${bot.publicKey}" data-bot-id="${bot.id}"`);
  bot.site.paste(snippet);
  const visitor = await aBrowser();
  await visitor.page.goto(bot.site.url);
  await region(page, 'Websites').getByText(new URL(bot.site.url).host).waitFor();
  expect(reloads, 'only the installs are polled').toEqual([]);

  await bot.pause();
  await open(page, '/');
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  expect(await setup.count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Install it' }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test('Home lists visitors who wait, claimed or not, without those that are snoozed, and no webhooks without their entitlement', async () => {
  const { owner, headers, tenant, botId, openSession } = await anOrganisation();
  const origin = { origin: new URL(demo.siteUrl).origin };
  const aVisitor = async (message: string) => {
    const { sessionToken } = await openSession();
    const say = (text: string) =>
      post<{ conversationId: string }>(`/widget/chatbots/${botId}/message`, { sessionToken, message: text }, origin);
    const { conversationId } = await say(message);
    await requestHandoff({ sessionToken, conversationId });
    return { conversationId, say };
  };
  const claimed = await aVisitor('Where is my parcel?');
  await post(`/conversations/${claimed.conversationId}/claim`, {}, headers);
  await post(`/conversations/${claimed.conversationId}/replies`, { text: 'One moment.' }, headers);
  await claimed.say('It is late.');
  const snoozed = await aVisitor('Can I pay later?');
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await post(`/conversations/${snoozed.conversationId}/snooze`, { until }, headers);

  const { page, problems } = await aBrowser();
  await signIn(page, owner);
  await open(page, '/');
  const waiting = region(page, 'Waiting for an agent');
  await waiting.locator(`a[href*="${claimed.conversationId}"]`).waitFor();
  expect(await waiting.locator(`a[href*="${snoozed.conversationId}"]`).count()).toBe(0);
  expect(await page.getByText('All clear.').count()).toBe(0);

  const overrides = { webhooks: 0 };
  await change(`/admin/tenants/${tenant.id}/entitlements`, { overrides }, await operatorToken(await anOperator()));
  await expect.poll(async () => (await fetch(`${demo.apiUrl}/webhooks`, { headers })).status).toBe(403);
  await open(page, '/');
  await waiting.waitFor();
  expect(await region(page, 'Failing endpoints').count()).toBe(0);
  expect(await page.getByText('couldn’t be loaded').count()).toBe(0);
  expect(problems).toEqual([]);
});

/** The portal in front of an API that is overloaded: it refuses these paths. */
async function portalOfOverloadedApi(refused: Set<string>) {
  const api = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', demo.apiUrl);
    if (refused.has(pathname)) {
      const error = { code: 'RATE_LIMITED', reason: 'rate_limited', message: 'Too many requests.' };
      outgoing.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    const { method = 'GET', headers, url = '/' } = incoming;
    const sent = forward(demo.apiUrl + url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done));
  const port = await freePort();
  const portalUrl = `http://localhost:${port}`;
  const portal = runEntry('apps/portal/src/server.ts', {
    ...portalSettings,
    PORT: String(port),
    PORTAL_URL: portalUrl,
    API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  });
  onTestFinished(async () => {
    await portal.stop();
    api.closeAllConnections();
    api.close();
  });
  await waitFor(`${portalUrl}/health/live`);
  return portalUrl;
}

test('Home says what it could not load instead of “All clear” or a new setup', async () => {
  const { owner } = await anOrganisation();
  const refused = new Set(['/insights/unanswered']);
  const portalUrl = await portalOfOverloadedApi(refused);
  const { page, problems } = await aBrowser();
  await signIn(page, owner, portalUrl);
  await open(page, '/', portalUrl);
  await page.getByText('Some of this page couldn’t be loaded.').waitFor();
  expect(await page.getByText('All clear.').count()).toBe(0);
  refused.add('/bots');
  expect((await page.goto(portalUrl))?.status()).toBe(429);
  await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
  refused.clear();
  await open(page, '/', portalUrl);
  await page.getByText('All clear.').waitFor();
  expect(problems).toEqual([]);
});
