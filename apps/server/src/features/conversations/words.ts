/** Letters that no decomposition takes apart. */
const folded: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

const shortest = 2;
const longest = 40;
const longestAddress = 254;
const mostOfText = 200;
const mostOfQuery = 10;

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
    .filter((word) => word.length >= shortest)
    .map((word) => Array.from(word).slice(0, longest).join(''));

const addressesOf = (text: string): string[] =>
  (text.match(address) ?? []).filter((found) => found.length <= longestAddress);

/** What a text is found by: its words, and addresses whole as well. */
export function wordsOf(text: string): string[] {
  const plain = fold(text);
  return [...new Set([...addressesOf(plain), ...partsOf(plain)])].slice(0, mostOfText);
}

export interface Wanted {
  /** Whole words. */
  words: string[];
  /** How the last one begins: whoever asks may still be writing it. */
  beginning: string;
}

/** What somebody looks for: every word of it. undefined: there is none in it. */
export function wantedWords(query: string): Wanted | undefined {
  const plain = fold(query);
  const whole = addressesOf(plain);
  const rest = plain.replaceAll(address, (found) => (found.length <= longestAddress ? ' ' : found));
  const all = [...whole, ...partsOf(rest)].slice(0, mostOfQuery);
  const beginning = whole.length > 0 && plain.trim().endsWith(whole.at(-1) ?? '') ? whole.at(-1) : all.at(-1);
  if (beginning === undefined) return undefined;
  return { words: [...new Set(all)].filter((word) => word !== beginning), beginning };
}
