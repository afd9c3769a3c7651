import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { createProxy } from './proxy.ts';
import { Refusal } from './refusal.ts';
import type { PortalSession } from './session.ts';

// Paths as bytes on a socket, and a service that writes down what reaches it: a client library would tidy up most of
// them before they are sent.

const reached: string[] = [];
const service = createServer((request, response) => {
  reached.push(`${request.method} ${request.url}`);
  response.end('{}');
});
const portal = fastify();
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  portal.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof Refusal ? error.status : 500).send(),
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

/** The status of one request. */
function ask(path: string, method = 'GET'): Promise<number> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(portOf(portal.server), '127.0.0.1');
    socket.on('data', (bytes) => void (said += bytes.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(said.split(' ')[1])));
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

test('200 to what the list offers', async () => {
  expect(await Promise.all(['/api/bots?limit=1', '/api/bots/bot_1', '/api/me'].map((path) => ask(path)))).toEqual([
    200, 200, 200,
  ]);
  expect(reached.splice(0).toSorted()).toEqual(['GET /bots/bot_1', 'GET /bots?limit=1', 'GET /me']);
});

test('400 or 404: no spelling of a path reaches a route of the service that is not on the list', async () => {
  const through: string[] = [];
  for (const path of paths) {
    const status = await ask(path);
    if (![400, 404].includes(status) || reached.length > 0)
      through.push(`${path}: ${status} ${reached.splice(0).join()}`);
  }
  expect(through).toEqual([]);
  expect(new Set(paths).size).toBeGreaterThanOrEqual(probes.proxyPaths.min);
});

test('405 to a method that is not on the list, and the service hears nothing of it', async () => {
  expect([await ask('/api/me', 'DELETE'), await ask('/api/bots', 'POST'), reached.length]).toEqual([405, 405, 0]);
});
