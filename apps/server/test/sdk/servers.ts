import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify as parleyFastify } from '@parley/sdk/fastify';
import { express as parleyExpress } from '@parley/sdk/express';
import { hono as parleyHono } from '@parley/sdk/hono';
import { next } from '@parley/sdk/next';
import { createReceiver, type ReceiverOptions } from '@parley/sdk/receiver';
import expressServer, { type RequestHandler } from 'express';
import fastifyServer from 'fastify';
import { Hono } from 'hono';

/** An endpoint at `/parley`, in a real server. */
export interface Running {
  url: string;
  stop(): Promise<void>;
}
type Start = (options: ReceiverOptions) => Promise<Running>;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

export async function listen(listener: Listener): Promise<Running> {
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/parley`,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Runs a `Request` handler on Node's HTTP server. */
const listenWith = (handle: (request: Request) => Response | Promise<Response>) =>
  listen(async (incoming, outgoing) => {
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const method = incoming.method ?? 'GET';
    const body = method === 'GET' ? null : Buffer.concat(await incoming.toArray());
    const response = await handle(new Request(`http://here${incoming.url}`, { method, headers, body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });

const inExpress =
  (...before: RequestHandler[]): Start =>
  (options) => {
    const app = expressServer();
    for (const one of before) app.use(one);
    app.post('/parley', parleyExpress(options));
    return listen(app);
  };

export async function inFastify(options: ReceiverOptions): Promise<Running> {
  const app = fastifyServer();
  app.post('/other', (request) => ({ parsed: (request.body as { n: number }).n }));
  app.register(parleyFastify, { path: '/parley', ...options });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${url}/parley`, stop: () => app.close() };
}

export const asReceiver: Start = (options) => listenWith(createReceiver(options));

const keepRaw = (request: object, _response: unknown, bytes: Buffer) => {
  Object.assign(request, { rawBody: bytes });
};

export const servers: Record<string, Start> = {
  express: inExpress(),
  'express behind express.json()': inExpress(expressServer.json()),
  'express behind express.raw()': inExpress(expressServer.raw({ type: '*/*' })),
  'express behind express.text()': inExpress(expressServer.text({ type: '*/*' })),
  'express behind a parser that keeps the bytes': inExpress(
    expressServer.json({ verify: keepRaw, reviver: () => 'changed' }),
  ),
  fastify: inFastify,
  hono: (options) => listenWith(new Hono().post('/parley', parleyHono(options)).fetch),
  'hono behind middleware that reads the body': (options) => {
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
    return listenWith(app.post('/parley', parleyHono(options)).fetch);
  },
  next: (options) => listenWith(next(options)),
  receiver: asReceiver,
};
