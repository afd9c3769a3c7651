import { replaceLinks, type Link } from '../chunk/markdown-links.ts';
import type { Found } from '../search/search.ts';

/** A chunk's text with links that work where it is quoted: relative ones made whole, all others but the harmless undone. */
export const linksFrom = ({ body, url }: Found): string => {
  const text = replaceLinks(body, (link) => (link.isImage ? '' : writeLink(link, url)));
  return replaceLinks(text, (link) => writeLink(link, url)).trim(); // an image may have been the label of one
};

function writeLink({ label, url, rest }: Link, base: string | null): string {
  const whole = absoluteUrl(url, base);
  return whole === undefined ? label : `[${label}](${whole}${rest})`;
}

function absoluteUrl(url: string, base: string | null): string | undefined {
  if (/^(?:https?|mailto|tel):/i.test(url)) return url;
  if (base === null || /^[a-z][a-z0-9+.-]*:/i.test(url) || !URL.canParse(url, base)) return undefined;
  return new URL(url, base).href;
}

/** How a chunk is called: its page, and the heading that it stands under. */
export function named({ title, heading }: Found): string {
  const own = heading.split(' › ').at(-1) ?? '';
  const parts = [title, own].filter((part, n, all) => part.trim() !== '' && all.indexOf(part) === n);
  return parts.map((part) => part.trim().replaceAll(/[\\`*_[\]<>|]/g, '\\$&')).join(' › ') || '…';
}
