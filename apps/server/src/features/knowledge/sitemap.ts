import { XMLParser } from 'fast-xml-parser';
import type { Crawl } from './crawling.ts';
import { Unreadable } from './problems.ts';
import { decode } from './reading/decode.ts';

export interface Listed {
  url: string;
  lastModified: string | null;
}

const mostPages = 2_000;
const mostMaps = 50;
const mostLength = 2_000;
const xml = /^(text|application)\/([\w.-]+\+)?(xml|plain)$/;

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  processEntities: false, // none of its own, so that none can grow; the five of XML are put back below
  parseTagValue: false,
  removeNSPrefix: true,
  isArray: (name) => name === 'url' || name === 'sitemap',
});

interface Entry {
  loc?: unknown;
  lastmod?: unknown;
}
interface Sitemap {
  urlset?: { url?: Entry[] } | string;
  sitemapindex?: { sitemap?: Entry[] } | string;
}

/** The pages that a sitemap names, or those that the maps in it name: newest first where there are too many. */
export async function listSitemap(crawl: Crawl, url: string): Promise<Listed[]> {
  const top = await readMap(crawl, url);
  const maps = entriesOf(top.sitemapindex, 'sitemap', url).slice(0, mostMaps);
  const found = entriesOf(top.urlset, 'url', url);
  for (const { url: map } of maps) {
    if (found.length >= 10 * mostPages) break;
    found.push(...entriesOf((await readMap(crawl, map)).urlset, 'url', url));
  }
  const pages = [...Map.groupBy(found, ({ url }) => url).values()].flatMap(([first]) => first ?? []);
  if (pages.length <= mostPages) return pages;
  return pages
    .toSorted((one, other) => (other.lastModified ?? '').localeCompare(one.lastModified ?? ''))
    .slice(0, mostPages);
}

async function readMap(crawl: Crawl, url: string): Promise<Sitemap> {
  const { bytes, mediaType } = await crawl.fetchPage(url, xml);
  const text = decode(bytes, mediaType);
  if (/<!DOCTYPE/i.test(text)) throw new Unreadable('sitemap_broken');
  try {
    const map = parser.parse(text) as Sitemap;
    if (map.urlset === undefined && map.sitemapindex === undefined) throw new Unreadable('sitemap_broken');
    return map;
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('sitemap_broken', error);
  }
}

/** Of the same host only: whoever writes a map of one site cannot send us to another. */
function entriesOf(part: object | string | undefined, name: 'url' | 'sitemap', from: string): Listed[] {
  const entries = typeof part === 'object' ? ((part as Record<string, Entry[] | undefined>)[name] ?? []) : [];
  return entries.flatMap(({ loc, lastmod }) => {
    const address = typeof loc === 'string' ? unescape(loc.trim()) : '';
    if (!URL.canParse(address) || address.length > mostLength) return [];
    const url = new URL(address);
    url.hash = '';
    if (hostOf(url.href) !== hostOf(from)) return [];
    return [{ url: url.href, lastModified: typeof lastmod === 'string' ? lastmod.trim().slice(0, 40) : null }];
  });
}

const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '');

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescape = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_all, name: string) => entities[name] ?? '');
