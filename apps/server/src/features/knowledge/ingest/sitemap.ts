import type { Crawl } from './crawl.ts';
import { Unreadable, type Problem } from './problems.ts';
import type { RunInThread } from './reader/reader.ts';
import type { SitemapEntry } from './reader/sitemap-xml.ts';

export const maxPages = 2_000;
const maxMaps = 50;
const xml = /^(text|application)\/([\w.-]+\+)?(xml|plain)$/;

/** How far a listing is. Stored between invocations, because the sitemaps of a large site take minutes. */
export interface SitemapListing {
  /** The sitemaps that have not been read. */
  maps: string[];
  /** The pages found. If there are too many, the most recently modified. */
  pages: SitemapEntry[];
  /** How many pages were found in total, with those that are in several sitemaps. */
  found: number;
  /** The sitemaps among `maps` that may be an index. An index is followed one level deep. */
  roots?: string[];
}

/** Whether pages were left out because there are too many. */
export const isLimited = ({ pages, found }: SitemapListing) => pages.length >= maxPages && found > pages.length;

export const startListing = (roots: string[]): SitemapListing => ({ maps: roots, pages: [], found: 0, roots });

interface ListOptions {
  /** Which pages to keep, before the most recent are chosen. All by default. */
  isWanted?: (url: string) => boolean;
  /** What to do without a sitemap that can't be read. Throws by default. */
  onProblem?: (problem: Problem) => void;
  /** When to stop. */
  until?: number;
}

/** Reads sitemaps, and then those in a sitemap index: at least one, and more until all are read or the time is up. */
export async function listSitemaps(
  crawl: Crawl,
  run: RunInThread,
  { maps, pages, found, roots = [] }: SitemapListing,
  { isWanted = () => true, onProblem, until = Infinity }: ListOptions = {},
): Promise<SitemapListing> {
  const readMap = async (url: string) => {
    try {
      const { bytes, mediaType } = await crawl.fetchPage(url, xml);
      return await run('readSitemap', { bytes, mediaType, from: url });
    } catch (error) {
      if (!(error instanceof Unreadable) || !onProblem) throw error;
      onProblem(error.reason);
      return { maps: [], pages: [] };
    }
  };
  while (maps.length > 0) {
    const [next = '', ...others] = maps;
    const read = await readMap(next);
    const nested = roots.includes(next) ? read.maps.map(({ url }) => url) : [];
    maps = [...others, ...nested].slice(0, maxMaps);
    roots = roots.filter((root) => root !== next); // an index may name itself
    const wanted = read.pages.filter(({ url }) => isWanted(url));
    pages = newestOf([...pages, ...wanted]);
    found += wanted.length;
    if (found >= 10 * maxPages) maps = [];
    if (Date.now() + crawl.waitMs() >= until) break;
  }
  return { maps, pages, found, roots };
}

function newestOf(found: readonly SitemapEntry[]): SitemapEntry[] {
  const pages = [...Map.groupBy(found, ({ url }) => url).values()].flatMap(([first]) => first ?? []);
  if (pages.length <= maxPages) return pages;
  return pages
    .toSorted((one, other) => (other.lastModified ?? '').localeCompare(one.lastModified ?? ''))
    .slice(0, maxPages);
}
