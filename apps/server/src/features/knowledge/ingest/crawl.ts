import { setTimeout as sleep } from 'node:timers/promises';
import { EgressFailed, EgressRefused, type SafeFetch, type SafeResponse } from '../../../platform/safe-fetch.ts';
import { Unreadable, type Problem } from './problems.ts';
import type { RunInThread } from './reader/reader.ts';
import type { RobotsRequest, RobotsRule } from './reader/robots.ts';

/** The name in robots.txt rules and in the logs of the sites. */
const userAgent = 'ParleyBot';
const maxBytes = 5 * 1024 * 1024;
const maxRedirects = 3;
const maxDelayMs = 5_000;
const retryAfterMs = 1_000;
/** For the requests of one page: its redirects, and robots.txt. The rest of a document's time is for reading it. */
export const pageMs = 12_000;

export interface FetchedPage {
  /** The final URL after redirects. */
  url: string;
  mediaType: string;
  bytes: Buffer;
  validator: Validator | null;
}

/** What a site says about the version of a page it returned. */
export interface Validator {
  /** The final URL, which it is valid for. */
  url: string;
  etag?: string;
  lastModified?: string;
}

export interface Crawl {
  /** Fetches a page if robots.txt allows it. */
  fetchPage(url: string, accepts?: RegExp): Promise<FetchedPage>;
  /** Fetches a page if robots.txt allows it. Undefined if the site says that this version is still current. */
  fetchIfChanged(url: string, known: Validator | null): Promise<FetchedPage | undefined>;
  /** The rules of robots.txt for a page, and the sitemaps that it names. */
  readRobots(url: string): Promise<RobotsRule>;
  /** How long the site's crawl delay lasts from now. */
  waitMs(): number;
}

type Robots = Pick<RobotsRequest, 'robotsUrl' | 'text'>;
const noRule: RobotsRule = { isAllowed: true, crawlDelaySeconds: 0, sitemaps: [] };

const readable = /^(text\/(html|plain|markdown|x-markdown)|application\/(xhtml\+xml|pdf))$/;

/**
 * A crawl of one site. It caches the site's robots.txt, sends one request at a time and respects the crawl delay.
 * `startUrl` is the URL the tenant entered: nothing outside of its site is fetched.
 */
export function startCrawl(fetch: SafeFetch, run: RunInThread, startUrl: string, maxMs = pageMs): Crawl {
  const robotsByOrigin = new Map<string, Promise<Robots>>();
  let queue: Promise<unknown> = Promise.resolve();
  let nextAt = 0;
  const waitMs = () => Math.max(0, nextAt - Date.now());

  const get = async (
    url: string,
    maxBytes: number,
    time: PageTime,
    conditions: Record<string, string> = {},
  ): Promise<SafeResponse> => {
    const request = (leftMs: number) => ({
      url,
      maxBytes,
      timeouts: { totalMs: leftMs },
      headers: {
        'user-agent': `${userAgent}/1.0`,
        accept: 'text/html,text/plain,text/markdown,application/pdf,application/xml;q=0.9',
        ...conditions,
      },
    });
    try {
      return await within(time, (leftMs) => fetch(request(leftMs)));
    } catch (error) {
      if (!(error instanceof EgressFailed)) throw toUnreadable(error);
      await within(time, () => sleep(retryAfterMs)); // retry once: most network errors are short-lived
      return within(time, (leftMs) => fetch(request(leftMs))).catch((again: unknown) => {
        throw toUnreadable(again);
      });
    }
  };

  const robotsOf = (url: URL, time: PageTime): Promise<Robots> => {
    const found = robotsByOrigin.get(url.origin) ?? readRobots(new URL('/robots.txt', url).href, time);
    robotsByOrigin.set(url.origin, found);
    return found;
  };
  const readRobots = async (url: string, time: PageTime, redirects = 0): Promise<Robots> => {
    const { status, headers, body } = await get(url, 512 * 1024, time);
    if (status >= 500 || status === 429) throw new Unreadable('robots_unavailable');
    const target = status >= 300 && status < 400 ? targetOf(url, headers['location']) : undefined;
    if (target && redirects < maxRedirects && isSameSite(startUrl, target))
      return readRobots(target, time, redirects + 1);
    return { robotsUrl: url, text: status < 300 ? body.toString() : '' }; // a site without robots.txt allows everything
  };

  const ruleFor = async (url: string, time: PageTime): Promise<RobotsRule> => {
    if (!URL.canParse(url)) throw new Unreadable('url_not_allowed');
    const robots = await robotsOf(new URL(url), time);
    return robots.text === '' ? noRule : run('checkRobots', { ...robots, url, userAgent });
  };

  const fetchFollowingRedirects = async (
    url: string,
    accepts: RegExp,
    known: Validator | null = null,
  ): Promise<FetchedPage | undefined> => {
    await sleep(waitMs());
    const time: PageTime = { leftMs: maxMs };
    for (let [at, redirects] = [url, 0]; ; redirects++) {
      const rule = await ruleFor(at, time);
      if (!rule.isAllowed) throw new Unreadable('blocked_by_robots');
      await within(time, (leftMs) => sleep(Math.min(waitMs(), leftMs)));
      nextAt = Date.now() + Math.min(maxDelayMs, rule.crawlDelaySeconds * 1_000);
      const conditions = conditionsOf(at, known);
      const response = await get(at, maxBytes, time, conditions);
      if (response.status === 304 && Object.keys(conditions).length > 0) return undefined;
      if (response.status < 300 || response.status >= 400) return accepted(at, response, accepts);
      const target = targetOf(at, response.headers['location']);
      if (target === undefined) throw new Unreadable('page_forbidden');
      if (!isSameSite(startUrl, target)) throw new Unreadable('redirected_to_other_site');
      if (redirects >= maxRedirects) throw new Unreadable('too_many_redirects');
      at = target;
    }
  };

  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  return {
    fetchPage: async (url, accepts = readable) => {
      const page = await enqueue(() => fetchFollowingRedirects(url, accepts));
      if (!page) throw new Error('Unchanged without a validator'); // for the types: only a validator makes it undefined
      return page;
    },
    fetchIfChanged: (url, known) => enqueue(() => fetchFollowingRedirects(url, readable, known)),
    readRobots: (url) => enqueue(() => ruleFor(url, { leftMs: maxMs })),
    waitMs,
  };
}

/** A validator is for one URL: after another redirect it would be compared with another page. */
function conditionsOf(url: string, known: Validator | null): Record<string, string> {
  if (known?.url !== url) return {};
  const { etag, lastModified } = known;
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

/** What is left for the requests of a page. Waiting for a reader thread is not the site's fault, and not counted. */
interface PageTime {
  leftMs: number;
}

async function within<T>(time: PageTime, work: (leftMs: number) => Promise<T>): Promise<T> {
  if (time.leftMs <= 0) throw new Unreadable('site_timeout');
  const startedAt = performance.now();
  try {
    return await work(time.leftMs);
  } finally {
    time.leftMs -= performance.now() - startedAt;
  }
}

function targetOf(from: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  target.hash = '';
  return target.href;
}

/** The same host, a subdomain of it, or the same with or without `www.` */
export function isSameSite(startUrl: string, other: string): boolean {
  const [site, host] = [bareHost(startUrl), bareHost(other)];
  return host === site || host.endsWith(`.${site}`);
}
const bareHost = (url: string) => new URL(url).hostname.replace(/^www\./, '');

function accepted(url: string, { status, headers, body, truncated }: SafeResponse, accepts: RegExp): FetchedPage {
  if (status === 404 || status === 410) throw new Unreadable('page_not_found');
  if (status >= 500 || status === 429) throw new Unreadable('site_error');
  if (status !== 200) throw new Unreadable('page_forbidden');
  if (truncated) throw new Unreadable('too_large');
  const { 'content-type': mediaType = '', 'content-encoding': encoding = 'identity' } = headers;
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  // We request no compression. A compressed response could be a decompression bomb.
  if (!accepts.test(type) || encoding.trim().toLowerCase() !== 'identity') throw new Unreadable('unsupported_type');
  return { url, mediaType, bytes: body, validator: validatorOf(url, headers) };
}

const maxValidatorLength = 200;

function validatorOf(url: string, { etag, 'last-modified': lastModified }: SafeResponse['headers']): Validator | null {
  const isUsable = (value: string | undefined) =>
    value !== undefined && /^[!-~ ]+$/.test(value) && value.length <= maxValidatorLength;
  const validator = {
    ...(isUsable(etag) && { etag }),
    ...(isUsable(lastModified) && { lastModified }),
  };
  return Object.keys(validator).length > 0 ? { url, ...validator } : null;
}

const problemByReason: Record<string, Problem> = {
  dns_failed: 'host_not_found',
  scheme_not_allowed: 'https_only',
  timeout: 'site_timeout',
  tls_failed: 'invalid_certificate',
};

function toUnreadable(error: unknown): unknown {
  if (error instanceof EgressRefused) return new Unreadable(problemByReason[error.reason] ?? 'url_not_allowed', error);
  if (error instanceof EgressFailed) return new Unreadable(problemByReason[error.reason] ?? 'site_unreachable', error);
  return error;
}
