import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { paths } from '../service/client.ts';
import { Refusal } from './refusal.ts';
import type { PortalSession } from './session.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Routes of the service that pages may call through the portal, by the addresses of its OpenAPI document. */
export type Allowed = { [P in keyof paths]?: readonly Method[] };

/** What a URL parser takes out of a path, and with it perhaps a part that the list counted on. */
const climbs = /\.\.|\/\.(?:\/|$)/;

const sentOn = ['content-type', 'accept', 'idempotency-key', 'last-event-id', 'accept-language'];
const broughtBack = [
  'content-type',
  'cache-control',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'x-request-id',
  'idempotency-replayed',
];

/** A parameter is one plain word: nothing that could climb to another address. */
const isFitting = (parts: readonly string[], asked: readonly string[]) =>
  parts.length === asked.length &&
  parts.every((part, n) => (part.startsWith('{') ? /^[\w.~-]+$/.test(asked[n] ?? '') : part === asked[n]));

export function createProxy(apiUrl: string, allowed: Allowed, sessionOf: (request: FastifyRequest) => PortalSession) {
  const rules = Object.entries(allowed).map(([path, methods]) => ({
    methods: new Set<string>(methods),
    parts: path.split('/'),
  }));

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = '', query] = request.url.slice('/api'.length).split('?', 2);
    // One address may fit several: `/sessions/end-others` is also a `/sessions/{id}`.
    const asked = path.split('/');
    const fitting = rules.filter(({ parts }) => isFitting(parts, asked) && !climbs.test(path));
    if (fitting.length === 0) throw new Refusal(404, 'not_offered', 'This API route isn’t available in the portal.');
    if (!fitting.some(({ methods }) => methods.has(request.method)))
      throw new Refusal(405, 'method_not_offered', 'This API route isn’t available in the portal.');

    const leaving = new AbortController();
    reply.raw.once('close', () => leaving.abort()); // whoever stops listening to a stream ends it at the service too
    const headers = Object.fromEntries(
      sentOn.flatMap((name) => (typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [])),
    );
    const hasBody = request.method !== 'GET' && request.body !== undefined && request.body !== null;
    const sent = new Request(`${apiUrl}${path}${query === undefined ? '' : `?${query}`}`, {
      method: request.method,
      headers,
      redirect: 'error',
      signal: leaving.signal,
      ...(hasBody && { body: Readable.toWeb(request.body as Readable) as ReadableStream, duplex: 'half' as const }),
    });
    const response = await sessionOf(request).call(sent);
    for (const name of broughtBack) {
      const value = response.headers.get(name);
      if (value !== null) void reply.header(name, value);
    }
    if (!response.headers.has('cache-control')) void reply.header('cache-control', 'no-store');
    return reply
      .status(response.status)
      .send(response.body ? Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) : '');
  };
}
