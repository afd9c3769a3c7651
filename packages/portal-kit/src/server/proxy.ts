import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MethodsOf, Routes } from '../service/client.ts';
import { HttpError } from './http-error.ts';
import type { PortalSession } from './session.ts';

/** API routes that pages may call, by their OpenAPI path. */
export type Allowed = { [P in keyof Routes]?: readonly MethodsOf<P>[] };

/** Dot segments, which URL parsers resolve and which could change the matched route. */
const dotSegments = /\.\.|\/\.(?:\/|$)/;

const forwardedHeaders = ['content-type', 'accept', 'idempotency-key', 'last-event-id', 'accept-language'];
const returnedHeaders = [
  'content-type',
  'cache-control',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'x-request-id',
  'idempotency-replayed',
];

/** Parameters match only plain characters, so that they can't contain other path segments. */
const matchesRoute = (template: readonly string[], segments: readonly string[]) =>
  template.length === segments.length &&
  template.every((part, n) => (part.startsWith('{') ? /^[\w.~-]+$/.test(segments[n] ?? '') : part === segments[n]));

export function createProxy(apiUrl: string, allowed: Allowed, sessionOf: (request: FastifyRequest) => PortalSession) {
  const routes = Object.entries(allowed).map(([path, methods]) => ({
    methods: new Set<string>(methods),
    template: path.split('/'),
  }));

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = '', query] = request.url.slice('/api'.length).split('?', 2);
    // A path can match several routes: `/sessions/end-others` also matches `/sessions/{id}`.
    const segments = path.split('/');
    const matching = routes.filter(({ template }) => matchesRoute(template, segments) && !dotSegments.test(path));
    if (matching.length === 0) throw new HttpError(404, 'not_offered', 'This API route isn’t available in the portal.');
    if (!matching.some(({ methods }) => methods.has(request.method)))
      throw new HttpError(405, 'method_not_offered', 'This API route isn’t available in the portal.');

    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort()); // ends the upstream request when the client disconnects
    const headers = Object.fromEntries(
      forwardedHeaders.flatMap((name) =>
        typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [],
      ),
    );
    const hasBody = request.method !== 'GET' && request.body !== undefined && request.body !== null;
    const upstream = new Request(`${apiUrl}${path}${query === undefined ? '' : `?${query}`}`, {
      method: request.method,
      headers,
      redirect: 'error',
      signal: controller.signal,
      ...(hasBody && { body: Readable.toWeb(request.body as Readable) as ReadableStream, duplex: 'half' as const }),
    });
    const response = await sessionOf(request).call(upstream);
    for (const name of returnedHeaders) {
      const value = response.headers.get(name);
      if (value !== null) void reply.header(name, value);
    }
    if (!response.headers.has('cache-control')) void reply.header('cache-control', 'no-store');
    return reply
      .status(response.status)
      .send(response.body ? Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) : '');
  };
}
