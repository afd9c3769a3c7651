import { randomBytes, randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import files from '@fastify/static';
import fastify, { LogController, type FastifyInstance, type FastifyRequest } from 'fastify';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequestHandler, RouterContextProvider, type ServerBuild } from 'react-router';
import { portalContext } from '../context.ts';
import type { PortalConfig } from './config.ts';
import { createCookies } from './cookies.ts';
import { assertSameOrigin } from './guard.ts';
import { healthRoutes } from './health.ts';
import { createPortalMetrics, serveMetrics } from './metrics.ts';
import { createHosted } from './hosted.ts';
import { setPolicy } from './policy.ts';
import type { PoolName } from './pool.ts';
import { createProxy, type Allowed } from './proxy.ts';
import { HttpError, toErrorBody } from './http-error.ts';
import { loggerOptions } from './log.ts';
import { createSessions, type PortalSession } from './session.ts';
import { signInRoutes } from './sign-in.ts';

export interface PortalExtras {
  config: PortalConfig;
  sessionOf(request: FastifyRequest): PortalSession;
  nonceOf(request: FastifyRequest): string;
}

interface PortalOptions {
  /** The cookie prefix, so that two portals on one host don't share cookies. */
  name: string;
  pool: PoolName;
  config: PortalConfig;
  allowed: Allowed;
  /** The app directory, with its build output. */
  root: string;
  /** Additional routes of this portal. */
  extraRoutes?: (app: FastifyInstance, extras: PortalExtras) => void;
  isDevelopment?: boolean;
}

/** The portal server: signs users in, keeps their tokens, proxies API calls and renders pages. */
export async function startPortal({
  name,
  pool,
  config,
  allowed,
  root,
  extraRoutes,
  isDevelopment = false,
}: PortalOptions) {
  const { API_URL, PUBLIC_API_URL, CDN_URL, PORTAL_URL } = config;
  const { origin, protocol } = new URL(PORTAL_URL);
  const metrics = createPortalMetrics(pool === 'admin' ? 'admin' : 'portal', config.PARLEY_VERSION);
  const cookies = createCookies(name, config.COOKIE_KEYS);
  const hosted = createHosted(pool, config);
  const sessions = createSessions({ pool, apiUrl: API_URL, cookies, hosted });

  const app = fastify({
    logger: loggerOptions(pool === 'admin' ? 'parley-admin' : 'parley-portal', config.LOG_LEVEL),
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    forceCloseConnections: true,
  });
  metrics.observeRequests(app);
  // Bodies are streamed to the API. Handlers that need one parse it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  const sessionCache = new WeakMap<FastifyRequest, PortalSession>();
  const sessionOf = (request: FastifyRequest): PortalSession => {
    const existing = sessionCache.get(request);
    if (existing) return existing;
    const session = sessions.sessionOf(request.headers.cookie, {
      'x-forwarded-for': request.ip,
      'user-agent': request.headers['user-agent'] ?? '',
    });
    sessionCache.set(request, session);
    return session;
  };
  const nonces = new WeakMap<FastifyRequest, string>();
  const nonceOf = (request: FastifyRequest) => {
    const nonce = nonces.get(request) ?? randomBytes(16).toString('base64');
    nonces.set(request, nonce);
    return nonce;
  };
  const isSecure = protocol === 'https:';
  let isStopping = false;

  app.addHook('onRequest', async (request, reply) => {
    setPolicy(reply, { nonce: nonceOf(request), isSecure, isDevelopment });
    assertSameOrigin(request, origin);
  });
  app.addHook('onSend', async (request, reply) => {
    const session = sessionCache.get(request);
    const set = session ? await session.setCookies() : [];
    if (set.length > 0) void reply.header('set-cookie', set);
    if (isStopping) void reply.header('connection', 'close');
    // Pages too say when to return, and what to name when asking for support; responses of the API have said it already.
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) void reply.header('retry-after', 5);
    if (reply.statusCode >= 400 && !reply.hasHeader('x-request-id')) void reply.header('x-request-id', request.id);
  });
  app.setErrorHandler((error, request, reply) => {
    const httpError = error instanceof HttpError ? error : undefined;
    const isDisconnected = request.raw.destroyed || (error instanceof Error && error.name === 'AbortError'); // the client disconnected
    if (!httpError && !isDisconnected)
      request.log.error({ err: error, method: request.method, route: request.routeOptions.url }, 'request failed');
    const shownError =
      httpError ?? new HttpError(500, 'internal', 'Something went wrong on our side. Try again in a moment.');
    if (shownError.status >= 500 && !isDisconnected) metrics.failed();
    void reply.status(shownError.status).header('cache-control', 'no-store');
    const wantsHtml = !request.url.startsWith('/api/') && /text\/html/.test(request.headers.accept ?? '');
    return wantsHtml
      ? reply.type('text/html; charset=utf-8').send(errorPage(shownError))
      : reply.send(toErrorBody(shownError, request.id));
  });

  await app.register(compress, {
    encodings: ['br', 'gzip'],
    customTypes: /^(text\/(?!event-stream)|application\/(json|javascript))|x-script/,
  });
  healthRoutes(app, { apiUrl: API_URL, version: config.PARLEY_VERSION, isStopping: () => isStopping });
  signInRoutes(app, { pool, config, cookies, hosted, sessionOf });
  app.all('/api/*', createProxy(API_URL, allowed, sessionOf));
  extraRoutes?.(app, { config, sessionOf, nonceOf });

  const pages = isDevelopment ? await developmentPages(app, root) : await builtPages(app, root);
  app.setNotFoundHandler((_request, reply) => reply.status(404).send(''));
  app.get('/*', async (request, reply) => {
    const startedAt = performance.now();
    let route = 'none'; // a redirect, or data for a page that the browser renders
    let isFailed = false;
    const session = sessionOf(request);
    const context = new RouterContextProvider();
    const [isSignedIn, signedOutReason] = [await session.isSignedIn(), await session.signedOutReason()];
    const site = { portalUrl: PORTAL_URL, apiUrl: PUBLIC_API_URL, cdnUrl: CDN_URL, version: config.PARLEY_VERSION };
    context.set(portalContext, {
      service: session.service,
      isSignedIn,
      signedOutReason,
      nonce: nonceOf(request),
      site,
      observe: {
        route: (pattern) => {
          route = pattern;
        },
        error: (error) => {
          isFailed = true;
          request.log.error({ err: error, route }, 'page failed');
        },
      },
    });
    const pageRequest = new Request(new URL(request.url, PORTAL_URL), { headers: headersOf(request) });
    const response = await pages(pageRequest, context);
    void reply
      .status(response.status)
      .headers(Object.fromEntries(response.headers))
      .header('cache-control', 'no-store'); // pages contain personal data
    const page = Buffer.from(await response.arrayBuffer());
    // An error response of the API is shown by the page, and not reported as an error.
    if (isFailed || response.status >= 500) metrics.failed();
    metrics.rendered(route, startedAt);
    return reply.send(page);
  });
  const metricsServer = await serveMetrics(metrics, config);
  await app.listen({ host: config.HOST, port: config.PORT });
  return {
    app,
    metricsPort: metricsServer.port,
    stop: async () => {
      isStopping = true;
      await sleep(config.STOP_NOTICE_SECONDS * 1_000);
      await app.close();
      metricsServer.close();
      metrics.stop();
    },
  };
}

/** The page for errors outside React. The message is always our own text, never user input. */
const errorPage = ({ message }: HttpError) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Parley</title></head><body><main><h1>Something went wrong</h1><p>${message}</p><p><a href="">Try again</a></p></main></body></html>`;

const headersOf = (request: FastifyRequest) =>
  new Headers(
    Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

async function builtPages(app: FastifyInstance, root: string) {
  const build = (await import(join(root, 'build/server/index.js'))) as ServerBuild;
  await app.register(files, {
    root: join(root, 'build/client'),
    wildcard: false,
    preCompressed: true,
    setHeaders: (reply, path) => {
      void reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      );
    },
  });
  return createRequestHandler(build, 'production');
}

/** Pages with hot reload. */
async function developmentPages(app: FastifyInstance, root: string) {
  const { createServer } = await import('vite');
  const vite = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    server: { middlewareMode: true, hmr: { port: 24_000 + Math.floor(Math.random() * 1_000) } },
  });
  app.addHook('onClose', () => vite.close());
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/')) return done();
    vite.middlewares(request.raw, reply.raw, () => done());
  });
  return createRequestHandler(
    () => vite.ssrLoadModule('virtual:react-router/server-build') as Promise<ServerBuild>,
    'development',
  );
}
