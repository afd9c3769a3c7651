import { replaceLinks, type Link } from '../chunk/markdown-links.ts';
import type { SearchResult } from '../search/search.ts';

/**
 * The text of a chunk with links that work in a chat: relative URLs become absolute, unsafe links become plain text.
 */
export const resolveLinks = ({ body, url }: SearchResult): string => {
  const text = replaceLinks(body, (link) => (link.isImage ? '' : writeLink(link, url)));
  return replaceLinks(text, (link) => writeLink(link, url)).trim(); // an image may have been the label of a link
};

function writeLink({ label, url, rest }: Link, base: string | null): string {
  const absolute = absoluteUrl(url, base);
  return absolute === undefined ? label : `[${label}](${absolute}${rest})`;
}

function absoluteUrl(url: string, base: string | null): string | undefined {
  if (/^(?:https?|mailto|tel):/i.test(url)) return url;
  if (base === null || /^[a-z][a-z0-9+.-]*:/i.test(url) || !URL.canParse(url, base)) return undefined;
  return new URL(url, base).href;
}

/** The display name of a chunk: its page and its own heading. */
export function displayName({ title, heading }: Pick<SearchResult, 'title' | 'heading'>): string {
  const own = heading.split(' › ').at(-1) ?? '';
  const parts = [title, own].map(plainName).filter((part, n, all) => part !== '' && all.indexOf(part) === n);
  return parts.map((part) => part.replaceAll(/[\\`*_[\]<>|]/g, '\\$&')).join(' › ') || '…';
}

/** A text source is named after its first line, which may be a Markdown heading. */
const plainName = (name: string) => name.replace(/^[#\s]+/, '').trim();
