/** Letters that no decomposition takes apart. */
const folded: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const shortest = 2;
const longest = 40;
const longestAddress = 254;
const maxOfText = 200;
const maxOfQuery = 10;

/** Without capitals and accents: as everybody writes who is in a hurry. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/gu, (letter) => folded[letter] ?? letter);

const address = /(?<![^\s<>()",;:@])[^\s<>()",;:@]+@[\p{L}\p{N}.-]*[\p{L}\p{N}]/gu;

/** Of what is longer, the beginning: then a long number is still found by all of it. */
const partsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((token) => token.length >= shortest)
    .map((token) => Array.from(token).slice(0, longest).join(''));

const addressesOf = (text: string): string[] =>
  (text.match(address) ?? []).filter((found) => found.length <= longestAddress);

/** What a text is found by: its tokens, and addresses whole as well. */
export function tokensOf(text: string): string[] {
  const plain = fold(text);
  return [...new Set([...addressesOf(plain), ...partsOf(plain)])].slice(0, maxOfText);
}

export interface Wanted {
  /** Whole tokens. */
  tokens: string[];
  /** How the last one begins: whoever asks may still be writing it. */
  beginning: string;
}

/** What somebody looks for: every token of it. undefined: there is none in it. */
export function wantedTokens(query: string): Wanted | undefined {
  const plain = fold(query);
  const whole = addressesOf(plain);
  const rest = plain.replaceAll(address, (found) => (found.length <= longestAddress ? ' ' : found));
  const all = [...whole, ...partsOf(rest)].slice(0, maxOfQuery);
  const beginning = whole.length > 0 && plain.trim().endsWith(whole.at(-1) ?? '') ? whole.at(-1) : all.at(-1);
  if (beginning === undefined) return undefined;
  return { tokens: [...new Set(all)].filter((token) => token !== beginning), beginning };
}
