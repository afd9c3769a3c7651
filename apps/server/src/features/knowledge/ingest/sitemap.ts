import type { Crawl } from './crawl.ts';
import type { RunInThread } from './reader/reader.ts';
import type { SitemapEntry } from './reader/sitemap-xml.ts';

const maxPages = 2_000;
const maxMaps = 50;
const xml = /^(text|application)\/([\w.-]+\+)?(xml|plain)$/;

/** How far a listing is. Stored between invocations, because the sitemaps of a large site take minutes. */
export interface SitemapListing {
  /** The sitemaps that have not been read. */
  maps: string[];
  /** The pages found. If there are too many, the most recently modified. */
  pages: SitemapEntry[];
  /** How many pages were found in total. */
  found: number;
}

/** Reads a sitemap, and then those in a sitemap index: at least one, and more until all are read or the time is up. */
export async function listSitemap(
  crawl: Crawl,
  run: RunInThread,
  url: string,
  { listing, until = Infinity }: { listing?: SitemapListing | undefined; until?: number } = {},
): Promise<SitemapListing> {
  const readMap = async (map: string) => {
    const { bytes, mediaType } = await crawl.fetchPage(map, xml);
    return run('readSitemap', { bytes, mediaType, from: url });
  };
  let { maps, pages, found } = listing ?? { maps: [url], pages: [], found: 0 };
  let isRoot = listing === undefined; // an index is followed one level deep
  do {
    const [next = url, ...others] = maps;
    const read = await readMap(next);
    maps = isRoot ? read.maps.slice(0, maxMaps).map((map) => map.url) : others;
    isRoot = false;
    pages = newestOf([...pages, ...read.pages]);
    found += read.pages.length;
    if (found >= 10 * maxPages) maps = [];
  } while (maps.length > 0 && Date.now() + crawl.waitMs() < until);
  return { maps, pages, found };
}

function newestOf(found: readonly SitemapEntry[]): SitemapEntry[] {
  const pages = [...Map.groupBy(found, ({ url }) => url).values()].flatMap(([first]) => first ?? []);
  if (pages.length <= maxPages) return pages;
  return pages
    .toSorted((one, other) => (other.lastModified ?? '').localeCompare(one.lastModified ?? ''))
    .slice(0, maxPages);
}
