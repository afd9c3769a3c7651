import { hash } from 'node:crypto';
import type { Read } from './reading/reader.ts';
import type { Raw } from './reading/sniff.ts';
import type { Crawl } from './crawling.ts';
import { toPassages } from './cutting.ts';
import type { Configs } from './knowledge.contract.ts';
import type { Stored } from './knowledge.store.ts';
import type { Passage } from './passages.ts';
import { Unreadable } from './problems.ts';
import { listSitemap } from './sitemap.ts';

/** Counted up when documents are read or cut in a new way: then every one of them is cut again. */
const version = 1;

/** A document, read and cut. */
export interface Cut {
  title: string;
  language: string | null;
  /** Of all that matters: the same again means that nothing has changed. */
  hash: Buffer;
  passages: Passage[];
}

type Source = Pick<Stored, 'kind' | 'config' | 'name' | 'language'>;

/** Where the documents of a source are: addresses, or what tells them apart within it. */
export async function locationsOf({ kind, config }: Source, crawl: () => Crawl): Promise<string[]> {
  switch (kind) {
    case 'text':
      return ['text'];
    case 'file':
      return [(config as Configs['file']).fileName];
    case 'url':
      return [(config as Configs['url']).url];
    case 'qa':
      return (config as Configs['qa']).pairs.map(({ question }) => question);
    case 'sitemap': {
      const { url, include, exclude } = config as Configs['sitemap'];
      const begins = (path: string) => (prefix: string) => path.startsWith(prefix);
      const pages = (await listSitemap(crawl(), url))
        .map((page) => page.url)
        .filter((page) => {
          const { pathname } = new URL(page);
          return (include.length === 0 || include.some(begins(pathname))) && !exclude.some(begins(pathname));
        });
      if (pages.length === 0) throw new Unreadable('sitemap_empty');
      return pages;
    }
  }
}

interface Means {
  crawl: () => Crawl;
  read: Read;
  file: () => Promise<Raw | undefined>;
}

/** Loaded when the first text comes: its tables of words are heavy. */
const languageOf = async (text: string) => (await import('./reading/language.ts')).languageOf(text);

/** Reads one document, from wherever it is. Throws `Unreadable` when that is its own fault, or its site's. */
export async function readDocument(source: Source, location: string, { crawl, read, file }: Means): Promise<Cut> {
  switch (source.kind) {
    case 'text': {
      const { text } = source.config as Configs['text'];
      return cut(source, { title: source.name, language: await languageOf(text), markdown: text });
    }
    case 'qa': {
      const pair = (source.config as Configs['qa']).pairs.find(({ question }) => question === location);
      if (!pair) throw new Unreadable('page_not_found');
      const { question, answer } = pair;
      const language = source.language ?? (await languageOf(`${question} ${answer}`));
      return hashed({ title: question, language, passages: [{ heading: question, body: answer }] });
    }
    case 'file': {
      const raw = await file();
      if (!raw) throw new Unreadable('page_not_found');
      return cut(source, await read(raw));
    }
    case 'url':
    case 'sitemap': {
      const { bytes, mediaType, url } = await crawl().fetchPage(location);
      const reading = await read({ bytes, mediaType, name: new URL(url).pathname });
      return cut(source, { ...reading, title: reading.title || location });
    }
  }
}

function cut(source: Source, { title, language, markdown }: Awaited<ReturnType<Read>>): Cut {
  const passages = toPassages(markdown, title);
  if (passages.length === 0) throw new Unreadable('empty');
  return hashed({ title, language: source.language ?? language, passages });
}

const hashed = (document: Omit<Cut, 'hash'>): Cut => ({
  ...document,
  hash: hash('sha256', JSON.stringify([version, document]), 'buffer'),
});
