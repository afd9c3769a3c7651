import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long browsers, and a CDN before us, may keep what a route answers. A refusal is never kept. */
export interface CachePolicy {
  seconds: number;
  /** For so much longer it may still be shown, while the next one is fetched. */
  staleSeconds: number;
  /** The header of the request that the answer depends on. */
  varyBy: string;
}

/** Strong: two answers have the same only if they are the same to the last byte. */
export const etagOf = (bytes: string | Buffer) => `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;

/** Whether the caller has it already, by `If-None-Match`. What a proxy made weak on its way still counts. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined && (header === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag));

export const cacheControl = ({ seconds, staleSeconds }: Omit<CachePolicy, 'varyBy'>) =>
  `public, max-age=${seconds}, stale-while-revalidate=${staleSeconds}`;

/** The last thing done to an answer that may be kept: only then are its bytes known. */
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
