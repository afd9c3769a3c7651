import type { Crawl } from './crawl.ts';
import type { RunInThread } from './reader/reader.ts';
import type { SitemapEntry } from './reader/sitemap-xml.ts';

const maxPages = 2_000;
const maxMaps = 50;
const xml = /^(text|application)\/([\w.-]+\+)?(xml|plain)$/;

/** The pages of a sitemap or of the sitemaps in a sitemap index. If there are too many, the most recently modified. */
export async function listSitemap(crawl: Crawl, run: RunInThread, url: string): Promise<SitemapEntry[]> {
  const readMap = async (map: string) => {
    const { bytes, mediaType } = await crawl.fetchPage(map, xml);
    return run('readSitemap', { bytes, mediaType, from: url });
  };
  const { pages: found, maps } = await readMap(url);
  for (const { url: map } of maps.slice(0, maxMaps)) {
    if (found.length >= 10 * maxPages) break;
    found.push(...(await readMap(map)).pages);
  }
  const pages = [...Map.groupBy(found, ({ url }) => url).values()].flatMap(([first]) => first ?? []);
  if (pages.length <= maxPages) return pages;
  return pages
    .toSorted((one, other) => (other.lastModified ?? '').localeCompare(one.lastModified ?? ''))
    .slice(0, maxPages);
}
