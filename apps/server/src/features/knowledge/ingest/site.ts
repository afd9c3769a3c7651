import type { Configs } from '../knowledge.contract.ts';

type Filters = Pick<Configs['site'], 'include' | 'exclude'>;
/** A document to fetch. */
export interface DocumentEntry {
  /** Its URL, or a name that is unique within the source. */
  location: string;
  /** How many links away from the start page. */
  depth: number;
}

/** Query parameters that only tell the site where a visitor comes from. */
const trackingParameter = /^(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id)$/;
/** Files that are never a page or a document we can read. */
const otherFile =
  /\.(?:avif|bmp|css|csv|dmg|exe|gif|gz|ico|jpe?g|js|json|m4a|mov|mp[34]|ogg|png|pptx?|rss|svg|tar|ttf|wav|web[mp]|woff2?|xlsx?|xml|zip)$/i;
const maxLength = 2_000;

/** The URL under which a page is stored, so that a page linked in several ways is fetched once. Undefined if not a page. */
export function toPageUrl(link: string, from: string): string | undefined {
  if (!URL.canParse(link, from)) return undefined;
  const url = new URL(link, from);
  if (!/^https?:$/.test(url.protocol) || otherFile.test(url.pathname) || url.username !== '') return undefined;
  url.protocol = new URL(from).protocol; // old links to http:// lead to the same page
  url.hash = '';
  const names = Array.from(url.searchParams.keys());
  for (const name of names.filter((each) => trackingParameter.test(each))) url.searchParams.delete(name);
  return url.href.length <= maxLength ? url.href : undefined;
}

/** The same host, with or without `www.` */
export const isSameHost = (one: string, other: string) => hostOf(one) === hostOf(other);
const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '');

/** Whether the path of a page matches the filters of its source. */
export function matches(page: string, { include, exclude }: Filters): boolean {
  const { pathname } = new URL(page);
  const startsPath = (prefix: string) => pathname.startsWith(prefix);
  return (include.length === 0 || include.some(startsPath)) && !exclude.some(startsPath);
}

/** The pages that a crawl visits because this page links to them. */
export function pagesToFollow(config: Configs['site'], page: DocumentEntry, links: readonly string[]): DocumentEntry[] {
  if (page.depth >= config.depth) return [];
  return links
    .filter((link) => isSameHost(config.url, link) && matches(link, config))
    .map((location) => ({ location, depth: page.depth + 1 }));
}

/** The pages that a crawl starts with: the start page, whose links lead to the others, and those of the sitemaps. */
export function firstPages(config: Configs['site'], inSitemaps: readonly string[]): DocumentEntry[] {
  const startUrl = toPageUrl(config.url, config.url) ?? config.url;
  const others = inSitemaps
    .flatMap((page) => toPageUrl(page, config.url) ?? [])
    .filter((page) => matches(page, config));
  const urls = new Set(config.depth === 0 ? [startUrl] : [startUrl, ...others]);
  return [...urls].map((location) => ({ location, depth: location === startUrl ? 0 : 1 }));
}
