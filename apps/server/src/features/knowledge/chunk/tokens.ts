import { replaceLinks } from './markdown-links.ts';

/** The PostgreSQL text search configuration of each language. Other languages use `simple`. */
const configs: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};
export const languages = Object.keys(configs);

/** `de`, `de-AT` and `DE` all map to German. */
export const configOf = (language: string | null): string =>
  configs[(language ?? '').toLowerCase().split(/[-_]/)[0] ?? ''] ?? 'simple';

/**
 * Converts Markdown to plain text without markup, URLs and tags. Each pattern excludes its own opening character, so
 * that no input makes it backtrack and this stays linear (ADR 35).
 */
export function toPlainText(markdown: string): string {
  const withoutLinks = (text: string) => replaceLinks(text, ({ label }) => label);
  const lines = withoutComments(markdown).split('\n').map(plainLine).join('\n');
  return withoutLinks(withoutLinks(lines)) // an image may be the label of a link
    .replaceAll(/!?\[([^[\]]*)\]\[[^[\]]*\]/g, '$1')
    .replaceAll(/<[a-z][a-z0-9+.-]*:[^<>\s]*>/gi, ' ')
    .replaceAll(/<\/?[a-z][^<>]*>/gi, ' ')
    .replaceAll(/\b(?:https?:\/\/|www\.)\S+/gi, ' ')
    .replaceAll(/&(?:nbsp|amp|lt|gt|quot|#\d+);/gi, ' ')
    .replaceAll(/\\([^\w\s])/g, '$1')
    .replaceAll(/[*_`~|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Removes heading and list markers. Code fences, table rules and link definitions become blank. */
function plainLine(line: string): string {
  if (/^\s*(?:```|~~~)/.test(line) || isTableRule(line) || /^\s*\[[^[\]]+\]:\s/.test(line)) return ' ';
  return line.replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '');
}

/** The line below a table's header. */
export const isTableRule = (line: string) => line.includes('|') && line.includes('-') && /^[\s:|-]+$/.test(line);

function withoutComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf('<!--'); start >= 0; start = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', start + 4);
    if (end < 0) break;
    parts.push(text.slice(at, start));
    at = end + 3;
  }
  return [...parts, text.slice(at)].join(' ');
}

export const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** Lines that are entirely bold: the headings of short sections that were merged into one chunk. */
export const headingsWithin = (markdown: string): string[] =>
  [...markdown.matchAll(/^\*\*([^*\n]{2,120})\*\*:?\s*$/gm)].map(([, text]) => text ?? '');

/**
 * The tokens of a text, the same for chunks and questions. Text that PostgreSQL's parser would treat as a file, a host
 * or a negative number (and/or, AX-200) is split beforehand.
 */
export const tokensOf = (text: string): string[] => clean(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Hyphenated words as one token, so that wi-fi matches wifi. */
export const joinedTokens = (text: string): string[] =>
  (clean(text).match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []).flatMap((hyphenated) => {
    const parts = hyphenated.split('-');
    return parts.slice(1).map((part, n) => `${parts[n]}${part}`);
  });

const clean = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\u00AD\u200B-\u200D\u2060\uFEFF]/g, '')
    .replaceAll(/[\u2010\u2011]/g, '-')
    .replaceAll(/\be-mail/g, 'email');
