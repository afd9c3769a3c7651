import { setTimeout as sleep } from 'node:timers/promises';
import { EgressFailed, EgressRefused, type SafeFetch, type SafeResponse } from '../../../platform/safe-fetch.ts';
import { Unreadable, type Problem } from './problems.ts';
import type { RunInThread } from './reader/reader.ts';
import type { RobotsRequest, RobotsRule } from './reader/robots.ts';

/** Named in robots.txt, and in the logs of whoever we visit. */
const userAgent = 'ParleyBot';
const maxBytes = 5 * 1024 * 1024;
const maxRedirects = 3;
const maxDelayMs = 5_000;
const retryAfterMs = 1_000;

export interface Fetched {
  /** Where it was in the end. */
  url: string;
  mediaType: string;
  bytes: Buffer;
}

export interface Crawl {
  /** A page that robots.txt lets us read. */
  fetchPage(url: string, accepts?: RegExp): Promise<Fetched>;
}

type Robots = Pick<RobotsRequest, 'robotsUrl' | 'text'>;
const noRule: RobotsRule = { isAllowed: true, crawlDelaySeconds: 0 };

const readable = /^(text\/(html|plain|markdown|x-markdown)|application\/(xhtml\+xml|pdf))$/;

/**
 * One visit to one site: it knows the site's robots.txt, asks for one thing at a time, and waits between them as the
 * site wants. `first` is the address the tenant gave: nothing outside of its site is fetched.
 */
export function startCrawl(fetch: SafeFetch, run: RunInThread, first: string): Crawl {
  const known = new Map<string, Promise<Robots>>();
  let turn: Promise<unknown> = Promise.resolve();
  let nextAt = 0;

  const get = async (url: string, maxBytes: number): Promise<SafeResponse> => {
    const request = {
      url,
      maxBytes,
      headers: {
        'user-agent': `${userAgent}/1.0`,
        accept: 'text/html,text/plain,text/markdown,application/pdf,application/xml;q=0.9',
      },
    };
    try {
      return await fetch(request);
    } catch (error) {
      if (!(error instanceof EgressFailed)) throw toUnreadable(error);
      await sleep(retryAfterMs); // once more: most of what goes wrong on the way is over in a moment
      return fetch(request).catch((again: unknown) => {
        throw toUnreadable(again);
      });
    }
  };

  const robotsOf = (url: URL): Promise<Robots> => {
    const found = known.get(url.origin) ?? readRobots(new URL('/robots.txt', url).href);
    known.set(url.origin, found);
    return found;
  };
  const readRobots = async (url: string, redirects = 0): Promise<Robots> => {
    const { status, headers, body } = await get(url, 512 * 1024);
    if (status >= 500 || status === 429) throw new Unreadable('robots_unavailable');
    const target = status >= 300 && status < 400 ? targetOf(url, headers['location']) : undefined;
    if (target && redirects < maxRedirects && isSameSite(first, target)) return readRobots(target, redirects + 1);
    return { robotsUrl: url, text: status < 300 ? body.toString() : '' }; // whoever has none allows everything
  };

  const visit = async (url: string, accepts: RegExp): Promise<Fetched> => {
    for (let [at, redirects] = [url, 0]; ; redirects++) {
      if (!URL.canParse(at)) throw new Unreadable('url_not_allowed');
      const robots = await robotsOf(new URL(at));
      const rule = robots.text === '' ? noRule : await run('checkRobots', { ...robots, url: at, userAgent });
      if (!rule.isAllowed) throw new Unreadable('blocked_by_robots');
      await sleep(Math.max(0, nextAt - Date.now()));
      nextAt = Date.now() + Math.min(maxDelayMs, rule.crawlDelaySeconds * 1_000);
      const response = await get(at, maxBytes);
      if (response.status < 300 || response.status >= 400) return accepted(at, response, accepts);
      const target = targetOf(at, response.headers['location']);
      if (target === undefined) throw new Unreadable('page_forbidden');
      if (!isSameSite(first, target)) throw new Unreadable('redirected_to_other_site');
      if (redirects >= maxRedirects) throw new Unreadable('too_many_redirects');
      at = target;
    }
  };

  return {
    fetchPage: (url, accepts = readable) => {
      const mine = turn.then(() => visit(url, accepts));
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

function targetOf(from: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  target.hash = '';
  return target.href;
}

/** The host itself, what is below it, and the same with or without `www.` */
export function isSameSite(first: string, other: string): boolean {
  const [site, host] = [bareHost(first), bareHost(other)];
  return host === site || host.endsWith(`.${site}`);
}
const bareHost = (url: string) => new URL(url).hostname.replace(/^www\./, '');

function accepted(url: string, { status, headers, body, truncated }: SafeResponse, accepts: RegExp): Fetched {
  if (status === 404 || status === 410) throw new Unreadable('page_not_found');
  if (status >= 500 || status === 429) throw new Unreadable('site_error');
  if (status !== 200) throw new Unreadable('page_forbidden');
  if (truncated) throw new Unreadable('too_large');
  const { 'content-type': mediaType = '', 'content-encoding': encoding = 'identity' } = headers;
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  // We asked for it unpacked; what comes packed all the same may unpack to anything.
  if (!accepts.test(type) || encoding.trim().toLowerCase() !== 'identity') throw new Unreadable('unsupported_type');
  return { url, mediaType, bytes: body };
}

const onTheWay: Record<string, Problem> = {
  dns_failed: 'host_not_found',
  scheme_not_allowed: 'https_only',
  timeout: 'site_timeout',
  tls_failed: 'invalid_certificate',
};

function toUnreadable(error: unknown): unknown {
  if (error instanceof EgressRefused) return new Unreadable(onTheWay[error.reason] ?? 'url_not_allowed', error);
  if (error instanceof EgressFailed) return new Unreadable(onTheWay[error.reason] ?? 'site_unreachable', error);
  return error;
}
