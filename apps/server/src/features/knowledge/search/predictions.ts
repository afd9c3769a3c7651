import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { inOrder, type Form, type FormsRead, type TokenRow, type TokensToRead } from './search.store.ts';

// A search reads the forms of the question's tokens, then related tokens, then chunks. Each read depends on the one before, and
// the first two return the same for a word as long as the sources do not change. So what they returned before is a prediction with
// which all three can be sent together. It is compared with what they return now, so it is never part of a result.

const ttl = 3_600_000; // for erased tenants
/** What was read last, by sources and word. */
const known = new LRUCache<string, readonly (Form | TokenRow)[]>({ max: 50_000, ttl });
/** The number of chunks, by sources. */
const totals = new LRUCache<string, number>({ max: 2_000, ttl });

export function predictionsFor(sourceIds: readonly string[]) {
  const sources = hash('sha1', sourceIds.join(), 'base64url');
  const keyOf = (kind: string, word: string) => `${sources}/${kind}/${word}`;
  const all = <R>(kind: string, words: readonly string[]): R[] | undefined => {
    const found = words.map((word) => known.get(keyOf(kind, word)) as readonly R[] | undefined);
    return found.every((rows) => rows !== undefined) ? found.flat() : undefined;
  };
  const learn = <R extends Form | TokenRow>(
    kind: string,
    words: readonly string[],
    rows: readonly R[],
    wordOf: (row: R) => string,
  ) => {
    const byWord = Map.groupBy(rows, wordOf);
    for (const word of words) known.set(keyOf(kind, word), byWord.get(word) ?? []);
  };
  const rangeKeys = ({ ranges }: TokensToRead) =>
    [...Map.groupBy(ranges, ({ token }) => token)].map(([token, own]) => ({
      token,
      kind: `like ${own.map(({ from }) => from).join()}`,
    }));
  return {
    /** undefined unless all of them have been read before. */
    forms(tokens: readonly string[]): FormsRead | undefined {
      const total = totals.get(sources);
      const forms = all<Form>('form', tokens);
      return total === undefined || !forms ? undefined : { forms, total };
    },
    learnForms(tokens: readonly string[], { forms, total }: FormsRead): void {
      totals.set(sources, total);
      learn('form', tokens, forms, ({ token }) => token);
    },
    tokens(reads: TokensToRead): TokenRow[] | undefined {
      const parts = [
        all<TokenRow>('lexeme', reads.lexemes),
        all<TokenRow>('token', reads.tokens),
        ...rangeKeys(reads).map(({ token, kind }) => all<TokenRow>(kind, [token])),
      ];
      return parts.includes(undefined) ? undefined : inOrder((parts as TokenRow[][]).flat());
    },
    learnTokens(reads: TokensToRead, rows: readonly TokenRow[]): void {
      const plain = rows.filter(({ like }) => like === null);
      learn('lexeme', reads.lexemes, plain, ({ lexeme }) => lexeme);
      learn('token', reads.tokens, plain, ({ token }) => token);
      for (const { token, kind } of rangeKeys(reads)) learn(kind, [token], rows, ({ like }) => like ?? '');
    },
  };
}
