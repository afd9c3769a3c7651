import type { DocumentInput } from './reader/document.ts';
import type { RunInThread } from './reader/reader.ts';
import type { RawFile } from './reader/sniff.ts';
import type { Crawl, FetchedPage, Validator } from './crawl.ts';
import type { Configs } from '../knowledge.contract.ts';
import type { StoredSource } from '../knowledge.store.ts';
import { isTransient, Unreadable, type Problem } from './problems.ts';
import { firstPages, isSameHost, matches, type DocumentEntry } from './site.ts';
import { isLimited, listSitemaps, startListing, type SitemapListing } from './sitemap.ts';
import { splitText } from './split-text.ts';

type Source = Pick<StoredSource, 'kind' | 'config' | 'name'>;

interface ListDeps {
  crawl: () => Crawl;
  run: RunInThread;
  /** Where an earlier call has stopped. */
  listing: SitemapListing | undefined;
  /** When to stop. */
  until: number;
}

/** The documents of a source, or where listing them has stopped. For a crawl, the pages to start with. */
export async function locationsOf(
  { kind, config }: Source,
  { crawl, run, listing, until }: ListDeps,
): Promise<{ documents: DocumentEntry[]; isLimited: boolean } | { listing: SitemapListing }> {
  switch (kind) {
    case 'text':
      return all(splitText((config as Configs['text']).text).map((_, n) => partName(n)));
    case 'file':
      return all([(config as Configs['file']).fileName]);
    case 'url':
      return all([(config as Configs['url']).url]);
    case 'qa':
      return all((config as Configs['qa']).pairs.map(({ question }) => question));
    case 'sitemap': {
      const { url, ...filters } = config as Configs['sitemap'];
      const isWanted = (page: string) => matches(page, filters);
      const listed = await listSitemaps(crawl(), run, listing ?? startListing([url]), { isWanted, until });
      if (listed.maps.length > 0) return { listing: listed };
      if (listed.pages.length === 0) throw new Unreadable('sitemap_empty');
      return { ...all(listed.pages.map((page) => page.url)), isLimited: isLimited(listed) };
    }
    case 'site': {
      const site = config as Configs['site'];
      const found = listing ?? startListing(site.depth === 0 ? [] : await findSitemaps(crawl(), site.url));
      const isWanted = (page: string) => matches(page, site);
      const options = { isWanted, onProblem: skipUnlessTransient, until };
      const listed = await listSitemaps(crawl(), run, found, options);
      if (listed.maps.length > 0) return { listing: listed };
      const pages = listed.pages.map((page) => page.url);
      return { documents: firstPages(site, pages), isLimited: isLimited(listed) };
    }
  }
}

const all = (locations: readonly string[]) => ({
  documents: locations.map((location) => ({ location, depth: 0 })),
  isLimited: false,
});

/** The sitemaps that robots.txt names, or the usual one. */
export async function findSitemaps(crawl: Crawl, startUrl: string): Promise<string[]> {
  const { sitemaps } = await crawl.readRobots(startUrl);
  const own = sitemaps.filter((url) => URL.canParse(url) && isSameHost(url, startUrl));
  return own.length > 0 ? own : [new URL('/sitemap.xml', startUrl).href];
}

/**
 * A crawl needs no sitemap. But while the site can't be reached, it is unknown which pages exist, and those that are only
 * in a sitemap must not be deleted. An error of the site is its usual response to an unknown path.
 */
export function skipUnlessTransient(problem: Problem): void {
  if (isTransient(problem) && problem !== 'site_error') throw new Unreadable(problem);
}

/** A text that fits into one document has always been `text`. */
const partName = (n: number) => (n === 0 ? 'text' : `text ${n + 1}`);

interface FetchDeps {
  crawl: () => Crawl;
  file: () => Promise<RawFile | undefined>;
  /** The version of the page that is stored. */
  known: Validator | null;
}

interface Fetched {
  input: DocumentInput;
  /** If it is a page of a site. */
  page?: FetchedPage;
}

/** Fetches one document. Undefined if its page is unchanged. Throws `Unreadable` if the document or its site is at fault. */
export async function fetchDocument(
  source: Source,
  location: string,
  { crawl, file, known }: FetchDeps,
): Promise<Fetched | undefined> {
  switch (source.kind) {
    case 'text': {
      const parts = splitText((source.config as Configs['text']).text);
      const text = parts.find((_, n) => partName(n) === location);
      if (text === undefined) throw new Unreadable('page_not_found');
      return { input: { kind: 'text', title: source.name, text } };
    }
    case 'qa': {
      const pair = (source.config as Configs['qa']).pairs.find(({ question }) => question === location);
      if (!pair) throw new Unreadable('page_not_found');
      return { input: { kind: 'pair', ...pair } };
    }
    case 'file': {
      const raw = await file();
      if (!raw) throw new Unreadable('page_not_found');
      return { input: { kind: 'file', raw } };
    }
    case 'url':
    case 'site':
    case 'sitemap': {
      const page = await crawl().fetchIfChanged(location, known);
      if (!page) return undefined;
      const { bytes, mediaType, url } = page;
      return { input: { kind: 'file', raw: { bytes, mediaType, name: new URL(url).pathname }, title: location }, page };
    }
  }
}
