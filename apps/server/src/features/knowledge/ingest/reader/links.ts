import { isSameHost, toPageUrl } from '../site.ts';
import { decode } from './decode.ts';
import { parsePage } from './html.ts';

export interface LinksRequest {
  bytes: Uint8Array;
  mediaType: string;
  /** The final URL of the page. */
  url: string;
}

const maxLinks = 1_000;

/** The pages of the same host that a page links to. Runs in a reader thread. */
export function readLinks({ bytes, mediaType, url }: LinksRequest): string[] {
  if (!/html/i.test(mediaType)) return [];
  const document = parsePage(decode(bytes, mediaType, true));
  const robots = document.querySelector('meta[name="robots" i]')?.getAttribute('content') ?? '';
  if (/\b(nofollow|none)\b/i.test(robots)) return [];
  const declared = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = URL.canParse(declared, url) ? new URL(declared, url).href : url;
  const links = new Set<string>();
  for (const anchor of document.querySelectorAll('a[href]')) {
    if (/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? '')) continue;
    const link = toPageUrl(anchor.getAttribute('href') ?? '', base);
    if (link !== undefined && isSameHost(link, url)) links.add(link);
    if (links.size >= maxLinks) break;
  }
  return [...links];
}
