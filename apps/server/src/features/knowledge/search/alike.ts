import type { Range } from './search.store.ts';

/** Spellings of the token without umlauts, and the reverse. */
export function spellings(token: string): string[] {
  const plain = token.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
  const marked = token
    .replaceAll('ae', 'ä')
    .replaceAll('oe', 'ö')
    .replaceAll(/(?<![aeq])ue/g, 'ü');
  const bare = token.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return [...new Set([plain, marked, bare])].filter((spelling) => spelling !== token);
}

/**
 * Index ranges to search for similar tokens: related tokens share a prefix, a mistyped token its first or second
 * character.
 */
export function rangesFor(token: string, isUnknown: boolean): Range[] {
  if (token.length < 4) return [];
  if (!isUnknown) return token.length < 5 ? [] : [rangeFrom(token, token.slice(0, 5))];
  const [first = '', second = ''] = token;
  return [...new Set([first, second])].map((prefix) => rangeFrom(token, prefix));
}

function rangeFrom(token: string, from: string): Range {
  const last = from.codePointAt(from.length - 1) ?? 0;
  return { token, from, to: from.slice(0, -1) + String.fromCodePoint(last + 1) };
}

/** How likely an unknown token is a misspelling of this one: 0 to 0.9. */
export function closeness(known: string, unknown: string): number {
  const [a, b] = [simple(known), simple(unknown)];
  if (a === b) return 0.9;
  if (/\p{N}/u.test(b)) return 0; // a different number is not a typo
  const edits = editsBetween(a, b);
  const allowed = b.length < 8 ? 1 : b.length < 12 ? 2 : 3;
  if (edits > allowed) return 0;
  // Short tokens that differ in one character are usually unrelated: Mann, Mani.
  if (b.length < 6 && a.length === b.length && sorted(a) !== sorted(b)) return 0;
  return 0.85 - 0.1 * (edits - 1);
}

const sorted = (token: string) => Array.from(token).sort().join('');
const simple = (token: string) => token.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions. */
export function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, n) => n)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let edits = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        edits = Math.min(edits, at(row - 2, column - 2) + 1);
      current.push(edits);
    }
  }
  return at(a.length, b.length);
}

/** Suffixes after a shared root; stemmers give them different stems (deliver, delivery; zahlen, Zahlung). */
const derivations = new Set(
  `e y s es ed er or ing ion tion ation ment al able ible ive ance ence ness ful ly ity ize ise ist ic ical ant ent ary ee
  en n t te ten ung ungen bar lich keit heit ig isch ieren iert iere ierung eur euren or oren end ende enden st est
  ción ar ado ada ador ante ant ement tion eur euse er é ée ées`.split(/\s+/),
);

/** Whether two tokens seem to share a root. */
export function isRelated(a: string, b: string): boolean {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  const rests = [a.slice(shared), b.slice(shared)];
  if (rests.some((rest) => /\p{N}/u.test(rest))) return false;
  if (shared >= 5 && rests.every((rest) => rest === '' || derivations.has(rest))) return true;
  return shared >= 7 && rests.every((rest) => rest.length <= 5);
}

/** Possible splits of a long token into two parts, most even first. */
export function splitsOf(token: string): string[][] {
  if (token.length < 8) return [];
  const splits: string[][] = [];
  for (let at = 4; at <= token.length - 4; at++) {
    const [head, tail] = [token.slice(0, at), token.slice(at)];
    splits.push([head, tail]);
    for (const link of ['s', 'es', 'n', 'en']) {
      if (head.endsWith(link) && head.length - link.length >= 4) splits.push([head.slice(0, -link.length), tail]);
    }
  }
  const evenness = (split: string[]) => Math.min(...split.map((part) => part.length));
  return splits.sort((a, b) => evenness(b) - evenness(a));
}
