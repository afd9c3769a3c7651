import type { DocumentInput } from './reader/document.ts';
import type { RunInThread } from './reader/reader.ts';
import type { RawFile } from './reader/sniff.ts';
import type { Crawl } from './crawl.ts';
import type { Configs } from '../knowledge.contract.ts';
import type { StoredSource } from '../knowledge.store.ts';
import { Unreadable } from './problems.ts';
import { listSitemap, type SitemapListing } from './sitemap.ts';
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

/** The locations of the documents of a source: URLs, or names that are unique within the source. Or where it has stopped. */
export async function locationsOf(
  { kind, config }: Source,
  { crawl, run, listing, until }: ListDeps,
): Promise<{ locations: string[] } | { listing: SitemapListing }> {
  switch (kind) {
    case 'text':
      return { locations: splitText((config as Configs['text']).text).map((_, n) => partName(n)) };
    case 'file':
      return { locations: [(config as Configs['file']).fileName] };
    case 'url':
      return { locations: [(config as Configs['url']).url] };
    case 'qa':
      return { locations: (config as Configs['qa']).pairs.map(({ question }) => question) };
    case 'sitemap': {
      const { url, include, exclude } = config as Configs['sitemap'];
      const listed = await listSitemap(crawl(), run, url, { listing, until });
      if (listed.maps.length > 0) return { listing: listed };
      const startsPath = (path: string) => (prefix: string) => path.startsWith(prefix);
      const locations = listed.pages
        .map((page) => page.url)
        .filter((page) => {
          const { pathname } = new URL(page);
          return (include.length === 0 || include.some(startsPath(pathname))) && !exclude.some(startsPath(pathname));
        });
      if (locations.length === 0) throw new Unreadable('sitemap_empty');
      return { locations };
    }
  }
}

/** A text that fits into one document has always been `text`. */
const partName = (n: number) => (n === 0 ? 'text' : `text ${n + 1}`);

interface FetchDeps {
  crawl: () => Crawl;
  file: () => Promise<RawFile | undefined>;
}

/** Fetches one document. Throws `Unreadable` if the document or its site is at fault. */
export async function fetchDocument(
  source: Source,
  location: string,
  { crawl, file }: FetchDeps,
): Promise<DocumentInput> {
  switch (source.kind) {
    case 'text': {
      const parts = splitText((source.config as Configs['text']).text);
      const text = parts.find((_, n) => partName(n) === location);
      if (text === undefined) throw new Unreadable('page_not_found');
      return { kind: 'text', title: source.name, text };
    }
    case 'qa': {
      const pair = (source.config as Configs['qa']).pairs.find(({ question }) => question === location);
      if (!pair) throw new Unreadable('page_not_found');
      return { kind: 'pair', ...pair };
    }
    case 'file': {
      const raw = await file();
      if (!raw) throw new Unreadable('page_not_found');
      return { kind: 'file', raw };
    }
    case 'url':
    case 'sitemap': {
      const { bytes, mediaType, url } = await crawl().fetchPage(location);
      return { kind: 'file', raw: { bytes, mediaType, name: new URL(url).pathname }, title: location };
    }
  }
}
