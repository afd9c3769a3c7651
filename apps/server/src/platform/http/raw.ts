import type { RouteOptions } from 'fastify';
import { invalid, type AppError } from '../errors.ts';
import { recordError } from './error-responses.ts';
import { guardOf, type GuardDeps } from './guard.ts';
import { describe } from './openapi.ts';
import type { RawRoute } from './route.ts';
import { pageRequestOf } from './request-info.ts';

/** A library that speaks HTTP itself. Nothing has read the body; what it answers goes out as it is. */
export const toRawFastify = (route: RawRoute, operationId: string, deps: GuardDeps): RouteOptions => ({
  method: route.method,
  url: route.path,
  config: { permission: route.permission },
  bodyLimit: 64 * 1024,
  schema: {
    ...describe(route, operationId),
    ...(route.params && { params: route.params }),
    response: { [route.status ?? 200]: route.response },
  },
  validatorCompiler: () => () => true, // it checks what it reads
  onRequest: guardOf(route, deps),
  errorHandler: (thrown, request, reply) => {
    const refused = recordError(thrown, request, reply);
    void reply.code(refused.status).type('application/json; charset=utf-8').send(toOAuthError(refused));
  },
  handler: async (request, reply) => {
    // Nobody means a zero byte, and what keeps the parameters cannot.
    if (request.url.includes('%00')) throw invalid('null_byte', [{ path: '/query', message: 'Remove %00.' }]);
    reply.hijack();
    const headers = { ...reply.getHeaders(), ...securityHeaders };
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value as string);
    // From here on nobody else answers: whatever it throws must end the request, or the caller waits for ever.
    await route.handler(pageRequestOf(request, reply)).catch((thrown: Error) => {
      const refused = recordError(thrown, request, reply);
      if (!reply.raw.headersSent) reply.raw.writeHead(refused.status, { 'content-type': 'application/json' });
      reply.raw.end(JSON.stringify(toOAuthError(refused)));
    });
  },
});

/** What we refuse before the library is asked, or when it failed, as whoever calls expects it here. */
const toOAuthError = ({ status, message }: AppError) => ({
  error: status < 429 ? 'invalid_request' : 'temporarily_unavailable',
  error_description: message,
});

/** The library's own pages: nothing may load or frame them. It adds the hash of its script where it needs one. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; script-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
};
