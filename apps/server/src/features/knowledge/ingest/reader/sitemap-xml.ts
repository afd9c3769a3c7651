import { XMLParser } from 'fast-xml-parser';
import { Unreadable } from '../problems.ts';
import { decode } from './decode.ts';

export interface SitemapEntry {
  url: string;
  lastModified: string | null;
}

const maxLength = 2_000;

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  processEntities: false, // prevents entity expansion attacks; the five predefined entities are replaced below
  parseTagValue: false,
  removeNSPrefix: true,
  isArray: (name) => name === 'url' || name === 'sitemap',
});

interface XmlEntry {
  loc?: unknown;
  lastmod?: unknown;
}
interface Sitemap {
  urlset?: { url?: XmlEntry[] } | string;
  sitemapindex?: { sitemap?: XmlEntry[] } | string;
}

export interface SitemapRequest {
  bytes: Uint8Array;
  mediaType: string;
  /** The URL of the sitemap that the tenant entered. */
  from: string;
}

/** The pages and nested sitemaps of a sitemap. Sitemaps can be large, so this runs in a reader thread. */
export function readSitemap({ bytes, mediaType, from }: SitemapRequest): {
  pages: SitemapEntry[];
  maps: SitemapEntry[];
} {
  const { urlset, sitemapindex } = parse(decode(bytes, mediaType));
  return { pages: entriesOf(urlset, 'url', from), maps: entriesOf(sitemapindex, 'sitemap', from) };
}

function parse(text: string): Sitemap {
  if (/<!DOCTYPE/i.test(text)) throw new Unreadable('invalid_sitemap');
  try {
    const map = parser.parse(text) as Sitemap;
    if (map.urlset === undefined && map.sitemapindex === undefined) throw new Unreadable('invalid_sitemap');
    return map;
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('invalid_sitemap', error);
  }
}

/** Only entries on the same host: a sitemap must not direct the crawler to other sites. */
function entriesOf(part: object | string | undefined, name: 'url' | 'sitemap', from: string): SitemapEntry[] {
  const entries = typeof part === 'object' ? ((part as Record<string, XmlEntry[] | undefined>)[name] ?? []) : [];
  return entries.flatMap(({ loc, lastmod }) => {
    const location = typeof loc === 'string' ? unescape(loc.trim()) : '';
    if (!URL.canParse(location) || location.length > maxLength) return [];
    const url = new URL(location);
    url.hash = '';
    if (hostOf(url.href) !== hostOf(from)) return [];
    return [{ url: url.href, lastModified: typeof lastmod === 'string' ? lastmod.trim().slice(0, 40) : null }];
  });
}

const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '');

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescape = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_all, name: string) => entities[name] ?? '');
