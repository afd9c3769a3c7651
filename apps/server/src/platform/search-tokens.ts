/** Characters that Unicode decomposition does not fold. */
const folded: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const minLength = 2;
const maxLength = 40;
const maxEmailLength = 254;
const maxPerText = 200;
const maxPerQuery = 10;

/** Lower case, without accents. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/gu, (character) => folded[character] ?? character);

const emailPattern = /(?<![^\s<>()",;:@])[^\s<>()",;:@]+@[\p{L}\p{N}.-]*[\p{L}\p{N}]/gu;

/** Long tokens are truncated here and in queries alike, so a long number is still found by all of it. */
const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((token) => token.length >= minLength)
    .map((token) => Array.from(token).slice(0, maxLength).join(''));

const emailsOf = (text: string): string[] =>
  (text.match(emailPattern) ?? []).filter((found) => found.length <= maxEmailLength);

/** The search tokens of a text. An email address is also kept as one token. */
export function tokensOf(text: string): string[] {
  const plain = fold(text);
  return [...new Set([...emailsOf(plain), ...wordsOf(plain)])].slice(0, maxPerText);
}

/** Not part of any token of a text, so tags and messages share one index. */
export const tagMark = '#';
/** Sorts after every tag. */
export const afterTags = '$';
export const tagToken = (tag: string): string => tagMark + tag.trim().toLowerCase();

export interface SearchQuery {
  /** Complete tokens. */
  tokens: string[];
  /** The last token, which may be incomplete while the user is typing. */
  prefix: string;
}

/** All tokens of a query must match. undefined: it has none. */
export function parseQuery(query: string): SearchQuery | undefined {
  const plain = fold(query);
  const emails = emailsOf(plain);
  const rest = plain.replaceAll(emailPattern, (found) => (found.length <= maxEmailLength ? ' ' : found));
  const all = [...emails, ...wordsOf(rest)].slice(0, maxPerQuery);
  const prefix = emails.length > 0 && plain.trim().endsWith(emails.at(-1) ?? '') ? emails.at(-1) : all.at(-1);
  if (prefix === undefined) return undefined;
  return { tokens: [...new Set(all)].filter((token) => token !== prefix), prefix };
}
