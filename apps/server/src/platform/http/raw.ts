import type { RouteOptions } from 'fastify';
import { invalid, type AppError } from '../errors.ts';
import { recordError } from './error-responses.ts';
import { guardOf, type GuardDeps } from './guard.ts';
import { describe } from './openapi.ts';
import type { RawRoute } from './route.ts';
import { pageRequestOf } from './request-info.ts';

/** Mounts a library that handles HTTP itself. The body is not parsed, and its response is sent unchanged. */
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
  validatorCompiler: () => () => true, // the library validates its input
  onRequest: guardOf(route, deps),
  errorHandler: (thrown, request, reply) => {
    const error = recordError(thrown, request, reply);
    void reply.code(error.status).type('application/json; charset=utf-8').send(toOAuthError(error));
  },
  handler: async (request, reply) => {
    // A null byte is never intended, and the store of the parameters cannot keep it.
    if (request.url.includes('%00')) throw invalid('null_byte', [{ path: '/query', message: 'Remove %00.' }]);
    reply.hijack();
    const headers = { ...reply.getHeaders(), ...securityHeaders };
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value as string);
    // Fastify no longer sends a response, so every error must end the request here, or it would hang.
    await route.handler(pageRequestOf(request, reply)).catch((thrown: Error) => {
      const error = recordError(thrown, request, reply);
      if (!reply.raw.headersSent) reply.raw.writeHead(error.status, { 'content-type': 'application/json' });
      reply.raw.end(JSON.stringify(toOAuthError(error)));
    });
  },
});

/** Our own errors in the format of OAuth, which callers of these endpoints expect. */
const toOAuthError = ({ status, message }: AppError) => ({
  error: status < 429 ? 'invalid_request' : 'temporarily_unavailable',
  error_description: message,
});

/** For the library's own pages, which must not load anything or be framed. It adds the hash of its script if needed. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; script-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
};
