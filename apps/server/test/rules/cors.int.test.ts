import { describe, expect, test } from 'vitest';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { api, aTenant, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';

// Browsers let pages of others read what we answer only where we say so: at the widget's routes and files, and nowhere
// else. The widget's frame is a page, which they show and nobody reads.

const operations = walk.operationsOf(api.app.swagger());
const addresses = [...new Set(operations.map(({ pathTemplate }) => pathTemplate))];
const isOfWidget = (address: string) => /^\/(widget|cdn)\/(?!frame\/)/.test(address);
const anId = (address: string) => address.replaceAll(/\{\w+\}/g, 'conv_01h45ytscbebyvny4gc8cr8ma2');

const ofCors = ({ headers }: Response) =>
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
  const url = anId(address);
  const methods = operations.filter((operation) => operation.pathTemplate === address).map(({ method }) => method);

  test('204 to a preflight of any page, for every method it has', async () => {
    for (const origin of origins)
      for (const method of methods) {
        const response = await preflight(url, origin, method);
        expect(response.statusCode, response.body).toBe(204);
        const said = ofCors(response);
        expect(said['access-control-allow-origin']).toBe('*');
        expect(String(said['access-control-allow-methods']).split(', ')).toContain(method);
        const names = String(said['access-control-allow-headers']).split(', ');
        expect(names).toEqual(expect.arrayContaining(['authorization', 'content-type', 'last-event-id']));
        // With them, a page of somebody else could act in the name of whoever looks at it.
        expect(said).not.toHaveProperty('access-control-allow-credentials');
      }
  });

  test('a refusal can be read by the page too, and is not kept', async () => {
    for (const method of methods) {
      const response = await api.app.inject({ method, url, headers: { origin: page } });
      expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
      expect(ofCors(response)['access-control-allow-origin']).toBe('*');
      expect(ofCors(response)).not.toHaveProperty('access-control-allow-credentials');
      expect(String(ofCors(response)['access-control-expose-headers'])).toContain('retry-after');
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });
});

test('200 that the page can read', async () => {
  const visitor = await aVisitor(api.app, await aBot(await aTenant()));
  const response = await visitor.get('/widget/me');
  expect(response.statusCode).toBe(200);
  expect(ofCors(response)['access-control-allow-origin']).toBe('*');
});

test('404 at the widget can be read too: a page with a typing error in it sees what is wrong', async () => {
  const response = await api.app.inject({ method: 'GET', url: '/widget/nothing', headers: { origin: page } });
  expect(response.statusCode).toBe(404);
  expect(ofCors(response)['access-control-allow-origin']).toBe('*');
});

test('no header of CORS on any other route: neither for a preflight, nor with an answer', async () => {
  const ours = operations.filter(({ pathTemplate, format }) => !isOfWidget(pathTemplate) && format !== 'oidc');
  const others = [...new Set(ours.map(({ pathTemplate }) => pathTemplate)), '/openapi.json', '/docs', '/nothing', '/'];
  const near = ['/widget', '/Widget/me', '//widget/me', '/widgets/me', '/cdn', '/CDN/x'];
  for (const address of [...others, ...near]) {
    const url = anId(address);
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const response = await (method === 'OPTIONS'
        ? preflight(url, page, 'GET')
        : api.app.inject({ method, url, headers: { origin: page } }));
      expect(ofCors(response), `${method} ${url}: ${response.statusCode}`).toEqual({});
      if (method === 'OPTIONS') expect(response.statusCode, `${method} ${url}`).toBeGreaterThanOrEqual(400);
    }
  }
});

test('no page reads the frame, however it spells the address', async () => {
  for (const url of ['/cdn/frame/x?key=y', '/cdn/%66rame/x?key=y']) {
    const response = await api.app.inject({ url, headers: { origin: page } });
    expect([response.statusCode, response.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(ofCors(response)).toEqual({});
  }
});

test('what OpenID Connect lets pages read, no page reads in the name of whoever looks at it', async () => {
  for (const { method, pathTemplate } of operations.filter(({ format }) => format === 'oidc')) {
    const response = await api.app.inject({ method, url: anId(pathTemplate), headers: { origin: page } });
    expect(ofCors(response), pathTemplate).not.toHaveProperty('access-control-allow-credentials');
  }
});

test('200: what a page sends as plain text is read as JSON, so that browsers need not ask first; elsewhere it is refused', async () => {
  const bot = await aBot(await aTenant());
  const { publicKey, botId } = bot;
  const payload = JSON.stringify({ publicKey, botId, visitorId: 'a' });
  const headers = { origin: page, 'content-type': 'text/plain;charset=UTF-8' };
  const send = (url: string) => api.app.inject({ method: 'POST', url, headers, payload });
  expect((await send('/widget/sessions/anonymous')).statusCode).toBe(200);
  expect((await send('/auth/login')).statusCode).toBe(415);
});
