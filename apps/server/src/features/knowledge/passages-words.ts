/** PostgreSQL reads words by language: which of its configurations reads which. Others are taken as they are written. */
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

/** `de`, `de-AT` and `DE` are all read as German. */
export const configOf = (language: string | null): string =>
  configs[(language ?? '').toLowerCase().split(/[-_]/)[0] ?? ''] ?? 'simple';

/** What a reader sees of Markdown: without marks, addresses and tags. */
export function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/^\s*(```|~~~).*$/gm, ' ')
    .replaceAll(/^\s*\|?[\s:|-]+\|[\s:|-]*$/gm, ' ') // the line below a table's head
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/!?\[([^\]]*)\]\[[^\]]*\]/g, '$1')
    .replaceAll(/^\s*\[[^\]]+\]:\s.*$/gm, ' ')
    .replaceAll(/<(?:[a-z][a-z0-9+.-]*:[^>\s]*)>/gi, ' ')
    .replaceAll(/<\/?[a-z][^>]*>|<!--[\s\S]*?-->/gi, ' ')
    .replaceAll(/\b(?:https?:\/\/|www\.)\S+/gi, ' ')
    .replaceAll(/&(?:nbsp|amp|lt|gt|quot|#\d+);/gi, ' ')
    .replaceAll(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replaceAll(/\\([^\w\s])/g, '$1')
    .replaceAll(/[*_`~|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lines that are nothing but bold: the headings of short sections that share a passage. */
export const headingsWithin = (markdown: string): string[] =>
  [...markdown.matchAll(/^\*\*([^*\n]{2,120})\*\*:?\s*$/gm)].map(([, text]) => text ?? '');

/**
 * The words of a text, the same way for passages and questions. What PostgreSQL's parser would take for a file, a host
 * or a negative number (and/or, AX-200) never reaches it.
 */
export const wordsOf = (text: string): string[] => clean(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Written with a hyphen by one and in one word by the other: wi-fi and wifi. */
export const joinedWords = (text: string): string[] =>
  (clean(text).match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu) ?? []).flatMap((whole) => {
    const parts = whole.split('-');
    return parts.slice(1).map((part, n) => `${parts[n]}${part}`);
  });

const clean = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\u00AD\u200B-\u200D\u2060\uFEFF]/g, '')
    .replaceAll(/[\u2010\u2011]/g, '-')
    .replaceAll(/\be-mail/g, 'email');
