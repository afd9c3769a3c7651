import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadPortals, writePages } from './portal-pages.ts';
import { documentedMetrics, scrape } from './scraped.ts';

const { loadPortalConfig, startPortal } = await loadPortals();
const root = join(import.meta.dirname, `../../../.stack/portal-metrics-${process.pid}`);
const pages = writePages(root);
const api = createServer(({ url }, response) => {
  if (url !== '/auth/login') return void response.writeHead(401).end('{}');
  const headers = { 'content-type': 'application/json', 'retry-after': '4', 'x-request-id': 'req_of_the_api' };
  response.writeHead(503, headers).end('{"error":{"code":"UNAVAILABLE","reason":"overloaded","message":"Wait."}}');
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
const token = 'a-token-of-32-characters-or-more';
const environment = {
  PORT: '0',
  PORTAL_URL: 'http://localhost:3100',
  API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  COOKIE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  LOG_LEVEL: 'silent',
  STOP_NOTICE_SECONDS: '0',
  PARLEY_VERSION: '1.2.3',
  METRICS_PORT: '0',
  METRICS_TOKEN: token,
};
const portal = await startPortal({
  name: 'portal',
  pool: 'customer',
  config: loadPortalConfig('portal', environment),
  allowed: {},
  root,
});
afterAll(async () => {
  await portal.stop();
  api.close();
  pages.remove();
});
const metrics = () => scrape(portal.metricsPort ?? 0, token);

test('counts the time of each page by its route and not by its URL, requests, and errors', async () => {
  for (const url of ['/bots/bot_1', '/bots/bot_2']) expect((await portal.app.inject({ url })).statusCode).toBe(200);
  expect((await portal.app.inject({ url: '/broken' })).statusCode).toBe(500);
  const scraped = await metrics();
  expect(scraped.value('parley_portal_render_duration_seconds_count', { route: '/bots/:botId' })).toBe(2);
  expect(scraped.value('parley_portal_errors_total')).toBe(1);
  const pages = { http_request_method: 'GET', http_route: '/*', http_response_status_code: '200' };
  expect(scraped.value('http_server_request_duration_seconds_count', pages)).toBe(2);
  expect(scraped.value('http_server_active_requests')).toBe(0);
  expect(scraped.value('parley_build_info', { version: '1.2.3', role: 'portal' })).toBe(1);
  expect(JSON.stringify(scraped.samples)).not.toContain('bot_1');
});

test('503: a page says when to return and which request it was, and counts as an error', async () => {
  const errors = async () => (await metrics()).value('parley_portal_errors_total') ?? 0;
  const before = await errors();
  const page = await portal.app.inject({ url: '/busy' });
  expect((await errors()) - before).toBe(1);
  expect([page.statusCode, page.headers]).toEqual([
    503,
    expect.objectContaining({ 'retry-after': '5', 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string }),
  ]);
});

test('503: a sign-in says what the API has said', async () => {
  const headers = { 'x-requested-with': 'portal', origin: environment.PORTAL_URL, 'content-type': 'application/json' };
  const payload = { email: 'ada@example.com', password: 'a password' };
  const signIn = await portal.app.inject({ method: 'POST', url: '/api/auth/login', headers, payload });
  expect([signIn.statusCode, signIn.headers]).toEqual([
    503,
    expect.objectContaining({ 'retry-after': '4', 'x-request-id': 'req_of_the_api' }),
  ]);
});

test('docs/operators/metrics.md lists every metric of a portal with its type and labels, and no other', async () => {
  const scraped = await metrics();
  const documented = documentedMetrics().filter(({ processes }) => processes.includes('portals'));
  const shown = [...scraped.types].map(([name, type]) => `${name} ${type}`);
  expect(shown.toSorted()).toEqual(documented.map(({ name, type }) => `${name} ${type}`).toSorted());
  for (const { name, labels } of documented)
    if (scraped.labelsOf(name).length > 0) expect([name, scraped.labelsOf(name)]).toEqual([name, labels]);
});

test('/metrics requires the token, and is not served on the port of the pages', async () => {
  await expect(scrape(portal.metricsPort ?? 0)).rejects.toThrow('401');
  await expect(scrape(portal.metricsPort ?? 0, 'another')).rejects.toThrow('401');
  expect((await portal.app.inject({ url: '/metrics' })).body).not.toContain('parley_build_info');
  const { METRICS_TOKEN: _token, ...withoutToken } = environment;
  expect(() => loadPortalConfig('portal', { ...withoutToken, METRICS_HOST: '0.0.0.0' })).toThrow('METRICS_TOKEN');
});
