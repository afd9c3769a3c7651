import { describe, expect, test } from 'vitest';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { api, aTenant, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';

// CORS headers are sent by the widget's routes and files only. The widget's frame is a page that browsers show but that
// no other page may read.

const operations = walk.operationsOf(api.app.swagger());
const addresses = [...new Set(operations.map(({ pathTemplate }) => pathTemplate))];
const isOfWidget = (address: string) => /^\/(widget|cdn)\/(?!frame\/)/.test(address);
const withIds = (address: string) => address.replaceAll(/\{\w+\}/g, 'conv_01h45ytscbebyvny4gc8cr8ma2');

const corsHeadersOf = ({ headers }: Response) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

const preflight = (url: string, origin: string, method: string) =>
  api.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type, last-event-id',
    },
  });

const origins = ['https://shop.example', 'https://evil.example', 'http://localhost:3000', 'null'];

describe.each(addresses.filter(isOfWidget))('%s', (address) => {
  const url = withIds(address);
  const methods = operations.filter((operation) => operation.pathTemplate === address).map(({ method }) => method);

  test('returns 204 to a preflight from any origin, for every method', async () => {
    for (const origin of origins)
      for (const method of methods) {
        const response = await preflight(url, origin, method);
        expect(response.statusCode, response.body).toBe(204);
        const corsHeaders = corsHeadersOf(response);
        expect(corsHeaders['access-control-allow-origin']).toBe('*');
        expect(String(corsHeaders['access-control-allow-methods']).split(', ')).toContain(method);
        const names = String(corsHeaders['access-control-allow-headers']).split(', ');
        expect(names).toEqual(expect.arrayContaining(['authorization', 'content-type', 'last-event-id']));
        // With credentials allowed, another site's page could act as the person who visits it.
        expect(corsHeaders).not.toHaveProperty('access-control-allow-credentials');
      }
  });

  test('returns errors that the page can read and that are not cached', async () => {
    for (const method of methods) {
      const response = await api.app.inject({ method, url, headers: { origin: page } });
      expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
      expect(corsHeadersOf(response)['access-control-allow-origin']).toBe('*');
      expect(corsHeadersOf(response)).not.toHaveProperty('access-control-allow-credentials');
      expect(String(corsHeadersOf(response)['access-control-expose-headers'])).toContain('retry-after');
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });
});

test('returns 200 that the page can read, however the path is encoded', async () => {
  const visitor = await aVisitor(api.app, await aBot(await aTenant()));
  for (const url of ['/widget/me', '/%77idget/me']) {
    const response = await visitor.get(url);
    expect(response.statusCode).toBe(200);
    expect(corsHeadersOf(response)['access-control-allow-origin']).toBe('*');
  }
});

test('returns a readable 404 under /widget, so that a page with a wrong path sees the reason', async () => {
  const response = await api.app.inject({ method: 'GET', url: '/widget/nothing', headers: { origin: page } });
  expect(response.statusCode).toBe(404);
  expect(corsHeadersOf(response)['access-control-allow-origin']).toBe('*');
});

test('sends no CORS header on any other route, for preflights and requests', async () => {
  const ours = operations.filter(({ pathTemplate, format }) => !isOfWidget(pathTemplate) && format !== 'oidc');
  const others = [...new Set(ours.map(({ pathTemplate }) => pathTemplate)), '/openapi.json', '/docs', '/nothing', '/'];
  const near = ['/widget', '/Widget/me', '//widget/me', '/widgets/me', '/cdn', '/CDN/x'];
  for (const address of [...others, ...near]) {
    const url = withIds(address);
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const response = await (method === 'OPTIONS'
        ? preflight(url, page, 'GET')
        : api.app.inject({ method, url, headers: { origin: page } }));
      expect(corsHeadersOf(response), `${method} ${url}: ${response.statusCode}`).toEqual({});
      if (method === 'OPTIONS') expect(response.statusCode, `${method} ${url}`).toBeGreaterThanOrEqual(400);
    }
  }
});

test('does not let a page read the frame, however the path is encoded', async () => {
  for (const url of ['/cdn/frame/x?key=y', '/cdn/%66rame/x?key=y']) {
    const response = await api.app.inject({ url, headers: { origin: page } });
    expect([response.statusCode, response.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(corsHeadersOf(response)).toEqual({});
  }
});

test('never allows credentials on OpenID Connect routes that pages may read', async () => {
  for (const { method, pathTemplate } of operations.filter(({ format }) => format === 'oidc')) {
    const response = await api.app.inject({ method, url: withIds(pathTemplate), headers: { origin: page } });
    expect(corsHeadersOf(response), pathTemplate).not.toHaveProperty('access-control-allow-credentials');
  }
});

test('returns 200 to JSON sent as plain text by the widget, which needs no preflight, and 415 on other routes', async () => {
  const bot = await aBot(await aTenant());
  const { publicKey, botId } = bot;
  const payload = JSON.stringify({ publicKey, botId, visitorId: 'a' });
  const headers = { origin: page, 'content-type': 'text/plain;charset=UTF-8' };
  const send = (url: string) => api.app.inject({ method: 'POST', url, headers, payload });
  expect((await send('/widget/sessions/anonymous')).statusCode).toBe(200);
  expect((await send('/auth/login')).statusCode).toBe(415);
});
