import { notFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { CrawlPlan, PlanCrawl } from '../knowledge.contract.ts';
import * as store from '../knowledge.store.ts';
import { startCrawl, type Crawl, type FetchedPage } from './crawl.ts';
import { findSitemaps, skipUnlessTransient } from './documents.ts';
import { messageFor, Unreadable, type Problem } from './problems.ts';
import type { Reader, RunInThread } from './reader/reader.ts';
import { firstPages, matches, toPageUrl } from './site.ts';
import { listSitemaps, maxPages, startListing } from './sitemap.ts';

const maxExamples = 10;
const maxSections = 12;
/** For the requests of one page, and for all sitemaps: a person is waiting. */
const requestMs = 6_000;
const sitemapsMs = 6_000;
/** What it takes to read and store a page, on top of fetching it. */
const storeMs = 150;

interface PlanDeps {
  fetch: SafeFetch;
  reader: Reader;
}

/** Reads a site the way a crawl starts, and returns what the crawl would do. Stores nothing. */
export async function planCrawl(
  { fetch, reader }: PlanDeps,
  caller: CallerContext,
  botId: string,
  config: PlanCrawl,
): Promise<{ plan: CrawlPlan }> {
  const tenantId = await caller.inTenant(async (ctx) => {
    if (!(await store.botExists(ctx.tx, botId))) throw notFound('bot');
    return ctx.tenantId;
  });
  const run: RunInThread = (task, input) => reader(task, input, tenantId);
  const crawl = startCrawl(fetch, run, config.url, requestMs);
  try {
    return { plan: planOf(config, await readSite(crawl, run, config)) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const plan = planOf(config, { ...nothing, url: config.url, problem: error.reason });
    return { plan: { ...plan, pages: { found: 0, isLimited: false }, examples: [] } };
  }
}

interface SiteOverview {
  /** The start page after redirects. */
  url: string;
  crawlDelaySeconds: number;
  sitemaps: string[];
  /** Found in the sitemaps and on the start page. */
  pages: string[];
  msPerPage: number;
  problem: Problem | null;
}
const nothing = { crawlDelaySeconds: 0, sitemaps: [], pages: [], msPerPage: 0 };

async function readSite(crawl: Crawl, run: RunInThread, { url: startUrl, depth }: PlanCrawl): Promise<SiteOverview> {
  const startedAt = performance.now();
  const start = await crawl.fetchPage(startUrl);
  const msPerPage = performance.now() - startedAt + storeMs;
  const problem = await problemOf(run, start);
  const { url } = start;
  const { crawlDelaySeconds } = await crawl.readRobots(startUrl);
  if (depth === 0) return { ...nothing, url, crawlDelaySeconds, msPerPage, problem };
  const roots = await findSitemaps(crawl, startUrl);
  const options = { onProblem: skipUnlessTransient, until: Date.now() + sitemapsMs };
  const listed = await listSitemaps(crawl, run, startListing(roots), options);
  const pages = [...listed.pages.map((page) => page.url), ...(await run('readLinks', start))];
  const sitemaps = listed.found > 0 ? roots : [];
  return { url, crawlDelaySeconds, sitemaps, pages, msPerPage, problem };
}

/** Why the content of the start page can't be used. Its links are followed all the same. */
async function problemOf(run: RunInThread, { bytes, mediaType, url }: FetchedPage): Promise<Problem | null> {
  const input = { kind: 'file' as const, raw: { bytes, mediaType, name: new URL(url).pathname } };
  try {
    await run('readDocument', { input, language: null, knownHash: null });
    return null;
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
}

function planOf(config: PlanCrawl, site: SiteOverview): CrawlPlan {
  const all = [...new Set(site.pages.flatMap((page) => toPageUrl(page, config.url) ?? []))];
  const pages = firstPages(config, all).map(({ location }) => location);
  const found = Math.min(pages.length, maxPages);
  const secondsPerPage = Math.max(site.msPerPage / 1_000, site.crawlDelaySeconds);
  return {
    url: site.url,
    crawlDelaySeconds: site.crawlDelaySeconds,
    sitemaps: site.sitemaps,
    pages: { found, isLimited: pages.length > maxPages },
    sections: sectionsOf(all, config),
    examples: pages.slice(0, maxExamples),
    secondsExpected: Math.ceil(found * secondsPerPage),
    problem: site.problem && { reason: site.problem, message: messageFor(site.problem) },
  };
}

/** The first part of the paths, with how many pages it has. */
function sectionsOf(pages: readonly string[], config: PlanCrawl): CrawlPlan['sections'] {
  const byPath = Map.groupBy(pages, (page) => /^\/[^/]*\//.exec(new URL(page).pathname)?.[0] ?? '/');
  return [...byPath]
    .map(([path, inside]) => ({
      path,
      pages: inside.length,
      isIncluded: inside.some((page) => matches(page, config)),
    }))
    .toSorted((one, other) => other.pages - one.pages)
    .slice(0, maxSections);
}
