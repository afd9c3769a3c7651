import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

/** Set by our own pages' calls. A form or an image of another page cannot set it; a script of one asks leave first, and gets none. */
export const portalHeader = { name: 'x-requested-with', value: 'portal' } as const;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';
/** Browsers come here by navigation, on their way to and from the hosted pages. */
const isJourney = (url: string) => /^\/api\/auth\/(start|callback)(\?|$)/.test(url);

/** Asked of every request, before anything is done for it. */
export function assertOwnPage({ method, url, headers }: Asked, ownOrigin: string): void {
  // Some frameworks took this header for a word of their own and skipped their checks. Nobody sends it in good faith.
  if (headers['x-middleware-subrequest'] !== undefined)
    throw new Refusal(400, 'header_not_allowed', 'This header is not allowed.');
  const needsHeader = !isRead(method) || (url.startsWith('/api/') && !isJourney(url));
  if (needsHeader && headers[portalHeader.name] !== portalHeader.value)
    throw new Refusal(403, 'header_missing', 'This endpoint is available only to the portal’s own pages.');
  if (isRead(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeign =
    (origin !== undefined && origin !== ownOrigin) || (site !== undefined && !['same-origin', 'none'].includes(site));
  if (isForeign || (origin === undefined && site === undefined))
    throw new Refusal(403, 'foreign_origin', 'Changes are accepted only from the portal’s own pages.');
}

/** A place in this portal, or its home: whatever is asked for, nobody is led elsewhere. */
export function ownPath(wanted: unknown, ownOrigin: string): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])/.test(wanted)) return '/';
  const url = URL.parse(wanted, ownOrigin);
  // `/.//evil.example` becomes `//evil.example`, which a browser takes for another host.
  return url?.origin === ownOrigin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/';
}
