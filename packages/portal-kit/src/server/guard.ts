import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from './http-error.ts';

interface GuardedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

/** Sent by our own pages. Forms and images on other sites can't set it, and their scripts fail the CORS preflight. */
export const portalHeader = { name: 'x-requested-with', value: 'portal' } as const;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';
/** Browsers navigate to these routes on the way to and from hosted sign-in. */
const isHostedSignIn = (url: string) => /^\/api\/auth\/(start|callback)(\?|$)/.test(url);

/** CSRF check for every request. */
export function assertSameOrigin({ method, url, headers }: GuardedRequest, ownOrigin: string): void {
  // An internal header of some frameworks that made them skip checks. It has no legitimate use here.
  if (headers['x-middleware-subrequest'] !== undefined)
    throw new HttpError(400, 'header_not_allowed', 'This header is not allowed.');
  const needsHeader = !isRead(method) || (url.startsWith('/api/') && !isHostedSignIn(url));
  if (needsHeader && headers[portalHeader.name] !== portalHeader.value)
    throw new HttpError(403, 'header_missing', 'This endpoint is available only to the portal’s own pages.');
  if (isRead(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isCrossOrigin =
    (origin !== undefined && origin !== ownOrigin) || (site !== undefined && !['same-origin', 'none'].includes(site));
  if (isCrossOrigin || (origin === undefined && site === undefined))
    throw new HttpError(403, 'foreign_origin', 'Changes are accepted only from the portal’s own pages.');
}

/** A path in this portal, or `/` for anything else. Prevents open redirects. */
export function sameOriginPath(path: unknown, ownOrigin: string): string {
  if (typeof path !== 'string' || !/^\/(?![/\\])/.test(path)) return '/';
  const url = URL.parse(path, ownOrigin);
  // `/.//evil.example` normalises to `//evil.example`, which browsers treat as another host.
  return url?.origin === ownOrigin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/';
}
