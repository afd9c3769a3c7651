import type { FastifyInstance } from 'fastify';

const corsHeaders = {
  // Any page may ask; what it may have is decided by its key and its session. Nothing here rests on a cookie.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after, ratelimit, ratelimit-policy',
  'cross-origin-resource-policy': 'cross-origin',
};
const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, last-event-id, x-service-version',
  'access-control-max-age': '7200', // the most a browser keeps: a slow line asks once
};

const isCdnPath = (path: string) => path.startsWith('/cdn/');
/** Where pages of others may ask. The frame is a page itself: browsers show it, and no page reads it. */
const isCrossOriginPath = (path: string) =>
  path.startsWith('/widget/') || (isCdnPath(path) && !path.startsWith('/cdn/frame/'));

/** The widget runs on the tenants' pages, so browsers must be let through to it. */
export function enableCors(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    const { routeOptions, url, method } = request;
    const path = routeOptions.url ?? url; // the route's own, however the caller spelled it
    if (isCrossOriginPath(path)) reply.headers(corsHeaders);
    // Before it sends JSON to another host a browser asks whether it may, and on a slow line that is half a second more each
    // time. What it calls plain text it sends at once; and since nothing here rests on a cookie, there is nothing to ask.
    if (path.startsWith('/widget/') && request.headers['content-type']?.startsWith('text/plain'))
      request.headers['content-type'] = 'application/json';
    if (isCdnPath(path)) reply.header('timing-allow-origin', '*');
    // Answers of the widget hold tokens. What a CDN may keep says so itself: a refusal that is kept would outlive its reason.
    if (isCdnPath(path) || (isCrossOriginPath(path) && method !== 'GET')) reply.header('cache-control', 'no-store');
    done();
  });
  for (const path of ['/widget/*', '/cdn/:file', '/cdn/config/:botId'])
    app.options(path, { config: { permission: 'public' }, schema: { hide: true } }, (_request, reply) =>
      reply.code(204).headers(preflightHeaders).send(),
    );
}
