import type { FastifyInstance } from 'fastify';

const corsHeaders = {
  // Any page may send requests: its key and session decide what it gets. No cookie is involved.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after, ratelimit, ratelimit-policy',
  'cross-origin-resource-policy': 'cross-origin',
};
const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, last-event-id, x-service-version',
  'access-control-max-age': '7200', // the maximum of browsers, so that slow connections need few preflights
};

const isCdnPath = (path: string) => path.startsWith('/cdn/');
/** Routes that other sites may call. The frame is a document itself: browsers show it, and no other page reads it. */
const isCrossOriginPath = (path: string) =>
  path.startsWith('/widget/') || (isCdnPath(path) && !path.startsWith('/cdn/frame/'));

/** A caller may also encode the start of the path. */
const mayBeCrossOrigin = /^\/(?:widget\/|cdn\/|[^/?]*%)/;

/** The widget runs on the tenants' websites, so its routes allow cross-origin requests. */
export function enableCors(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    const { url, method } = request;
    if (!mayBeCrossOrigin.test(url)) return done(); // looking up the route costs more than most hooks
    const path = request.routeOptions.url ?? url; // the route's path, however the caller encoded it
    if (isCrossOriginPath(path)) reply.headers(corsHeaders);
    // Cross-origin JSON needs a preflight, which costs half a second on a slow connection. text/plain does not, and no
    // cookie is involved, so the widget sends JSON as text/plain.
    if (path.startsWith('/widget/') && request.headers['content-type']?.startsWith('text/plain'))
      request.headers['content-type'] = 'application/json';
    if (isCdnPath(path)) reply.header('timing-allow-origin', '*');
    // Widget responses contain tokens. Cacheable CDN routes set their own header; a cached error would outlive its cause.
    if (isCdnPath(path) || (isCrossOriginPath(path) && method !== 'GET')) reply.header('cache-control', 'no-store');
    done();
  });
  for (const path of ['/widget/*', '/cdn/:file', '/cdn/config/:botId'])
    app.options(path, { config: { permission: 'public' }, schema: { hide: true } }, (_request, reply) =>
      reply.code(204).headers(preflightHeaders).send(),
    );
}
