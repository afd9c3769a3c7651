import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long browsers and CDNs may cache the response of a route. Error responses are never cached. */
export interface CachePolicy {
  seconds: number;
  /** How much longer a stale response may be served while it is revalidated. */
  staleSeconds: number;
  /** The request header that the response depends on. */
  varyBy: string;
}

/** A strong ETag: equal only for byte-identical content. */
export const etagOf = (bytes: string | Buffer) => `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` contains this ETag. ETags that a proxy made weak match too. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined && (header === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag));

export const cacheControl = ({ seconds, staleSeconds }: Omit<CachePolicy, 'varyBy'>) =>
  `public, max-age=${seconds}, stale-while-revalidate=${staleSeconds}`;

/** An `onSend` hook, because the ETag needs the serialized response. */
export function addCacheHeaders(caching: CachePolicy) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload?: unknown) => void,
  ) => {
    reply.header('vary', caching.varyBy);
    if (reply.statusCode !== 200) {
      reply.header('cache-control', 'no-store');
      return done(null, payload);
    }
    const etag = etagOf(payload as string);
    reply.headers({ etag, 'cache-control': cacheControl(caching) });
    if (!matchesEtag(request.headers['if-none-match'], etag)) return done(null, payload);
    reply.code(304);
    done(null, null);
  };
}
