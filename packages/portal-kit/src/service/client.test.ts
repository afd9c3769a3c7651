import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createService } from './client.ts';

interface Received {
  request: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const received: Received[] = [];
let next: { status: number; headers?: Record<string, string>; body: string };
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ request: `${request.method} ${request.url}`, headers: request.headers, body });
    response.writeHead(next.status, next.headers).end(next.body);
  });
});
const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  received.length = 0;
  next = { status: 200, body: '{"data":[]}' };
});

test('sends path, query, body, headers and the idempotency key', async () => {
  const service = createService({ baseUrl: baseUrl(), headers: { 'x-requested-with': 'portal' } });
  const query = { limit: 25, q: 'a b&c' };
  const { data, response } = await service.GET('/members', { params: { query } });
  expect(data).toEqual({ data: [] });
  expect(response.status).toBe(200);
  await service.PATCH('/bots/{id}', { params: { path: { id: 'bot/1' } }, body: { name: 'Shop' } });
  await service.POST('/admin/tenants', { body: { name: 'Acme' }, idempotencyKey: 'once' });
  await service.POST('/mfa/totp');
  expect(received.map(({ request, body }) => [request, body])).toEqual([
    ['GET /members?limit=25&q=a+b%26c', ''],
    ['PATCH /bots/bot%2F1', '{"name":"Shop"}'],
    ['POST /admin/tenants', '{"name":"Acme"}'],
    ['POST /mfa/totp', ''],
  ]);
  const [members, bot, tenant, totp] = received.map(({ headers }) => headers);
  expect(members?.['x-requested-with']).toBe('portal');
  expect(bot?.['content-type']).toBe('application/json');
  expect(tenant?.['idempotency-key']).toBe('once');
  expect(totp?.['content-type']).toBeUndefined();
});

test('returns errors as values, also when the body is not JSON', async () => {
  const service = createService({ baseUrl: baseUrl() });
  next = { status: 409, body: '{"error":{"reason":"bot_archived"}}' };
  const refused = await service.GET('/bots');
  expect(refused).toMatchObject({ error: { error: { reason: 'bot_archived' } }, response: { status: 409 } });
  expect(refused.data).toBeUndefined();
  next = { status: 502, body: '<html>Bad gateway</html>' };
  const unreadable = await service.GET('/bots');
  expect([unreadable.error, unreadable.response.status]).toEqual([undefined, 502]);
});

test('does not follow redirects, which would send the access token to another URL', async () => {
  next = { status: 302, headers: { location: `${baseUrl()}/elsewhere` }, body: '' };
  const { data, response } = await createService({ baseUrl: baseUrl() }).GET('/bots');
  expect([data, response.status, received.length]).toEqual([undefined, 302, 1]);
});

test.each(['', '.', '..'])('returns 404 without a request for the ID "%s"', async (id) => {
  const { error, response } = await createService({ baseUrl: baseUrl() }).GET('/bots/{id}', {
    params: { path: { id } },
  });
  expect(response.status).toBe(404);
  expect(error).toMatchObject({ error: { reason: 'route_not_found' } });
  expect(received).toEqual([]);
});

test('passes requests to the given fetch, which adds the access token', async () => {
  const asUser = (request: Request) => {
    request.headers.set('authorization', 'Bearer token');
    return fetch(request);
  };
  await createService({ baseUrl: baseUrl(), fetch: asUser }).POST('/bots', { body: { name: 'Shop' } });
  expect(received[0]).toMatchObject({
    request: 'POST /bots',
    body: '{"name":"Shop"}',
    headers: { authorization: 'Bearer token' },
  });
});
