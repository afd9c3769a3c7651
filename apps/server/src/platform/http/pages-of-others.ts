import type { FastifyInstance } from 'fastify';

const headers = {
  // Any page may ask; what it may have is decided by its key and its session. Nothing here rests on a cookie.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after, ratelimit, ratelimit-policy',
  'cross-origin-resource-policy': 'cross-origin',
};
const answerToPreflight = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, last-event-id, x-service-version',
  'access-control-max-age': '7200', // the most a browser keeps: a slow line asks once
};

/** The widget runs on the tenants' pages, so browsers must be let through to `/widget`. */
export function openToPages(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/widget/')) {
      reply.headers(headers);
      if (request.method !== 'GET') reply.header('cache-control', 'no-store'); // answers hold tokens
    }
    done();
  });
  app.options('/widget/*', { config: { permission: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.code(204).headers(answerToPreflight).send(),
  );
}
