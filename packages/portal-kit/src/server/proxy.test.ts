import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { createProxy } from './proxy.ts';
import { HttpError } from './http-error.ts';
import type { PortalSession } from './session.ts';

// Sends raw paths over a socket, because HTTP clients normalise most of them. The service records what reaches it.

const forwarded: string[] = [];
const service = createServer((request, response) => {
  forwarded.push(`${request.method} ${request.url}`);
  response.end('{}');
});
const portal = fastify();
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  portal.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof HttpError ? error.status : 500).send(),
  );
  const session = { call: (request: Request) => fetch(request) } as PortalSession;
  const allowed = { '/bots': ['GET'], '/bots/{id}': ['GET', 'PATCH'], '/me': ['GET'] } as const;
  portal.all(
    '/api/*',
    createProxy(`http://127.0.0.1:${portOf(service)}`, allowed, () => session),
  );
  await portal.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await portal.close();
  service.close();
});

/** Sends a request and returns its status. */
function send(path: string, method = 'GET'): Promise<number> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(portOf(portal.server), '127.0.0.1');
    socket.on('data', (bytes) => void (received += bytes.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(received.split(' ')[1])));
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, 'latin1');
  });
}

const steps = [
  '../',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '.%2e/',
  '..\\',
  '..%5c',
  '%252e%252e%252f',
  '..%c0%af',
  '..%ef%bc%8f',
  '....//',
  '..;/',
  './../',
  '..//',
  './',
  '/',
  '%2f',
  '%00/',
];
const bases = ['/api/', '/api/bots/', '/api/bots/bot_1/', '/api/me/'];
const paths = [
  ...bases.flatMap((base) => steps.map((step) => `${base}${step}admin/tenants`)),
  '/api/admin/tenants',
  '/api//admin/tenants',
  '/api/bots/.',
  '/api/bots/..',
  '/api/bots/...',
  '/api/bots/bot_1/..',
  '/api/bots/bot_1%2f..%2f..%2fadmin',
  '/api/bots/%2e%2e',
  '/api/bots/bot_1;/admin',
  '/api/bots%3f/../admin',
  '/api/bots%23/../admin',
  '/api/bots/bot_1\\..\\..\\admin',
  '/api/bots/http:%2f%2fevil.example',
  '/api/@evil.example/',
  '/api/.evil.example/',
  '/api/:1@evil.example/me',
  '/api\\..\\admin/tenants',
  'http://evil.example/api/admin/tenants',
];

test('returns 200 for allowed routes', async () => {
  expect(await Promise.all(['/api/bots?limit=1', '/api/bots/bot_1', '/api/me'].map((path) => send(path)))).toEqual([
    200, 200, 200,
  ]);
  expect(forwarded.splice(0).toSorted()).toEqual(['GET /bots/bot_1', 'GET /bots?limit=1', 'GET /me']);
});

test('returns 400 or 404 and does not forward any path spelling outside the allow-list', async () => {
  const leaked: string[] = [];
  for (const path of paths) {
    const status = await send(path);
    if (![400, 404].includes(status) || forwarded.length > 0)
      leaked.push(`${path}: ${status} ${forwarded.splice(0).join()}`);
  }
  expect(leaked).toEqual([]);
  expect(new Set(paths).size).toBeGreaterThanOrEqual(probes.proxyPaths.min);
});

test('returns 405 for a method that is not allowed, without calling the service', async () => {
  expect([await send('/api/me', 'DELETE'), await send('/api/bots', 'POST'), forwarded.length]).toEqual([405, 405, 0]);
});
