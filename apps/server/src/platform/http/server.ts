import type { IncomingMessage, Server } from 'node:http';
import swagger from '@fastify/swagger';
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import { notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Log } from '../telemetry.ts';
import { errorBody, serializer, recordError } from './error-responses.ts';
import { pathsOf, toFastify, type MountDeps } from './mount.ts';
import { observe, plainHeaders, type FailedRequest } from './observe.ts';
import { openApiOptions } from './openapi.ts';
import { enableCors } from './cors.ts';
import { serveReference } from './reference.ts';
import type { Route } from './route.ts';
import { readBytes } from './upload.ts';
import { createStreams } from './stream.ts';

export interface HttpDeps extends Omit<MountDeps, 'streams'> {
  log: Log;
  metrics: Registry;
  routes: readonly Route[];
  /** Called for every request of a tenant that was rejected or failed. */
  onRequestFailed?: (request: FailedRequest) => void;
  publicUrl: string;
  trustedProxies?: readonly string[];
}

/** Every request passes authentication, authorization, rate limit and validation, in this order, before its handler. */
export async function buildHttp(deps: HttpDeps) {
  const logger = deps.log as unknown as FastifyBaseLogger; // typed as Fastify's logger: with pino's type, the app would not match any plugin
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    frameworkErrors: (error, request, reply) => {
      reply.headers(plainHeaders(request.id, deps.publicUrl)); // no hook ran yet
      void sendError(error, request, reply);
    },
    childLoggerFactory: (parent) => parent, // log calls name the request fields they need
    logController: new LogController({ disableRequestLogging: true }), // observe() logs requests
    genReqId: () => newId('request'),
    exposeHeadRoutes: false,
    trustProxy: deps.trustedProxies?.length ? [...deps.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // requests that arrive during shutdown are still served, with `Connection: close`
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializer);
  app.removeContentTypeParser('text/plain');
  for (const name of [
    'caller',
    'operator',
    'visitor',
    'knownTenant',
    'errorReason',
    'traceparent',
    'span',
    'streamedAfterMs',
  ] as const)
    app.decorateRequest(name, null);

  app.addHook('onRoute', (route: RouteOptions) => {
    if (/^\/docs(\/|$)/.test(route.url)) route.config = { ...route.config, permission: 'public' };
    if (!route.config?.permission) throw new Error(`${String(route.method)} ${route.url} declares no permission`);
  });
  const streams = createStreams();
  observe(app, { ...deps, streams });
  enableCors(app);
  const closeConnectionsWhenIdle = watchConnections(app.server);
  app.addHook('preClose', async () => {
    streams.close();
    closeConnectionsWhenIdle();
  });

  app.setNotFoundHandler((request, reply) => sendError(notFound('route'), request, reply));
  app.setErrorHandler(sendError);

  await app.register(swagger, openApiOptions(deps.publicUrl));
  const acceptsFile = (route: Route) => route.kind === 'tenant' && route.upload !== undefined;
  const mount = (scope: FastifyInstance, isMine: (kind: Route['kind']) => boolean, acceptsFiles = false) => {
    for (const route of deps.routes.filter((route) => isMine(route.kind) && acceptsFile(route) === acceptsFiles))
      for (const address of pathsOf(route)) scope.route(toFastify(route, address, { ...deps, streams }));
  };
  await app.register(async (scope) => mount(scope, (kind) => kind !== 'page' && kind !== 'raw' && kind !== 'signed'));
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    mount(scope, (kind) => kind === 'signed');
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    mount(scope, (kind) => kind === 'page');
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null)); // the library reads the body
    mount(scope, (kind) => kind === 'raw');
  });
  await app.register(async (scope) => {
    readBytes(scope);
    mount(scope, (kind) => kind === 'tenant', true);
  });
  let document: unknown;
  app.get('/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json').send(JSON.stringify((document ??= app.swagger()))),
  );
  serveReference(app);
  return app;
}

function sendError(thrown: Error, request: FastifyRequest, reply: FastifyReply) {
  const error = recordError(thrown, request, reply);
  return reply.code(error.status).type('application/json; charset=utf-8').send(errorBody(error, request.id));
}

/** Once everything that has arrived was read: while the process was busy, a connection with a new request looks idle. */
const afterReading = (work: () => void): void => void setImmediate(() => setImmediate(work));

/**
 * Fastify closes the connections that are idle when shutdown starts. Others would keep the process until their client
 * leaves: those of streams and slow requests, which become idle later, and those that a client opened in advance, which Node
 * does not count as idle before their first request.
 */
function watchConnections(server: Server): () => void {
  const sockets = new Set<IncomingMessage['socket']>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => afterReading(closeIdle);
  const closeUnused = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return () => {
    const timer = setInterval(() => {
      server.closeIdleConnections();
      afterReading(closeUnused);
    }, 100);
    server.once('close', () => clearInterval(timer));
  };
}
