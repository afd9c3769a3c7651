import type { Tx } from '../../../platform/db.ts';
import { configOf, joinedTokens, tokensOf } from '../chunk/tokens.ts';
import { spellings } from './alike.ts';
import { isChatter, isNearlyChatter } from './chatter.ts';
import { isCommon } from './common.ts';
import type { Alternative, Concept, Question } from './concepts.ts';
import { expectedIn, type Expectation } from './expected.ts';
import { verbForms } from './german.ts';
import { expand, planExpansion, type Expansion, type QueryTokens } from './query-expansion.ts';
import type { Form, FormsRead, TokenRow } from './search.store.ts';

/** The weight of a common word. */
const commonShare = 0.35;
const maxTokens = 60;
const maxConcepts = 16;

/** What can be said about a question without its sources. */
export interface ParsedQuestion {
  tokens: string[];
  variants: Map<string, string[]>;
  /** Of the tokens and their variants. */
  spellings: string[];
  expected: Expectation[];
}

export function parseQuestion(text: string): ParsedQuestion {
  const tokens = [...new Set(tokensOf(text))].filter((token) => token.length <= 60).slice(0, maxTokens);
  const expected = expectedIn(text.slice(0, 4_000));
  const variants = new Map(tokens.map((token, n) => [token, variantsOf(token, n, tokens)]));
  const all = [...new Set([...tokens, ...joinedTokens(text), ...[...variants.values()].flat()])];
  return { tokens, variants, spellings: all, expected };
}

/** A question whose tokens were looked up in its sources, but not yet related ones. */
export interface LookedUpQuestion extends QueryTokens {
  total: number;
  expected: Expectation[];
  expansion: Expansion;
}

export async function lookUp(
  tx: Tx,
  { tokens, variants, expected }: ParsedQuestion,
  { forms, total }: FormsRead,
  hintedLanguages: readonly string[],
): Promise<LookedUpQuestion> {
  const formsOf = Map.groupBy(forms, ({ token }) => token);
  const config = languageOf(tokens, formsOf, hintedLanguages);

  const all = informative(tokens, formsOf, config).map((token): Concept => {
    const own = toAlternatives(formsOf.get(token), 1);
    const others = (variants.get(token) ?? []).flatMap((variant) => toAlternatives(formsOf.get(variant), 0.9));
    return { token, rarity: 0, alternatives: [...own, ...others] };
  });
  const concepts = all.filter(({ token, alternatives }) => alternatives.length > 0 || !isNearlyChatter(config, token));
  const query = { tokens, formsOf, variants, concepts, config };
  return { ...query, total, expected, expansion: await planExpansion(tx, query) };
}

/** With the related tokens that its sources have. */
export function relate(
  { expansion, total, expected, ...query }: LookedUpQuestion,
  rows: readonly TokenRow[],
): Question {
  const { config } = query;
  const concepts = expand(query, expansion, rows);
  for (const concept of concepts) weigh(concept, total, isCommon(config, concept.token) ? commonShare : 1);
  const different = concepts.filter((concept, n) => !concepts.slice(0, n).some((other) => isSame(concept, other)));
  const rarest = different.sort((a, b) => b.rarity - a.rarity).slice(0, maxConcepts);
  return { concepts: rarest, total, config, expected };
}

/** Other spellings, the token joined with its neighbour, and the forms of a separable verb. */
function variantsOf(token: string, n: number, tokens: readonly string[]): string[] {
  const [before, after] = [tokens[n - 1], tokens[n + 1]];
  const joined = [before && `${before}${token}`, after && `${token}${after}`].filter(
    (each) => each && each.length >= 5,
  );
  return [...spellings(token), ...(joined as string[]), ...verbForms(token, tokens)];
}

const toAlternatives = (forms: Form[] | undefined, weight: number): Alternative[] =>
  (forms ?? []).flatMap(({ lexeme, config, chunks }) =>
    lexeme !== null && chunks > 0 ? [{ lexemes: [lexeme], config, weight, chunks, rarity: 0 }] : [],
  );

/** The language whose stop words the question contains. null if there are none or two languages tie. */
function languageOf(tokens: string[], formsOf: Map<string, Form[]>, hintedLanguages: readonly string[]): string | null {
  const hints = new Set(hintedLanguages.map(configOf));
  const points = new Map<string, number>();
  for (const token of tokens) {
    for (const { config, lexeme } of formsOf.get(token) ?? []) {
      const isSmall = lexeme === null ? 1 : isChatter(config, token) ? 0.6 : 0;
      points.set(config, (points.get(config) ?? (hints.has(config) ? 0.5 : 0)) + isSmall);
    }
  }
  const [first, second] = [...points].sort((a, b) => b[1] - a[1]);
  return first && first[1] > (second?.[1] ?? 0) ? first[0] : null;
}

/** The tokens without stop words and chatter; if nothing else is left, with the chatter. */
function informative(tokens: string[], formsOf: Map<string, Form[]>, config: string | null): string[] {
  const contents = tokens.filter((token) => {
    const forms = (formsOf.get(token) ?? []).filter((form) => config === null || form.config === config);
    return forms.some(({ lexeme }) => lexeme !== null) && (token.length > 1 || /\p{N}/u.test(token));
  });
  const withoutChatter = contents.filter((token) => {
    const forms = formsOf.get(token) ?? [];
    return config === null ? !forms.every((form) => isChatter(form.config, token)) : !isChatter(config, token);
  });
  return withoutChatter.length > 0 ? withoutChatter : contents;
}

/** Inverse document frequency as in BM25. A token that no chunk has is the rarest. */
function weigh(concept: Concept, total: number, share: number) {
  const rarityOf = (chunks: number) => Math.log(1 + Math.max(0, total - chunks + 0.5) / (chunks + 0.5));
  for (const alternative of concept.alternatives) alternative.rarity = rarityOf(alternative.chunks);
  const best = Math.max(0, ...concept.alternatives.map(({ weight }) => weight));
  const closest = concept.alternatives.filter(({ weight }) => weight >= best - 0.1);
  concept.rarity = share * rarityOf(Math.max(0, ...closest.map(({ chunks }) => chunks)));
}

/** Whether two concepts are the same word, such as "order" and "ordered". */
function isSame(a: Concept, b: Concept): boolean {
  const main = ({ alternatives }: Concept) => alternatives.find(({ weight }) => weight >= 0.8)?.lexemes.join(' ');
  return main(a) !== undefined && main(a) === main(b);
}
