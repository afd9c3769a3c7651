import type { Tx } from '../../../platform/db.ts';
import { compoundParts, splitCompound } from '../chunk/compounds.ts';
import { closeness, isRelated, rangesFor, splitsOf } from './alike.ts';
import { verbParts } from './german.ts';
import type { Concept } from './concepts.ts';
import { synonyms } from './synonyms.ts';
import { readLexemes, type Form, type TokenRow, type TokensToRead } from './search.store.ts';

export interface QueryTokens {
  tokens: string[];
  formsOf: Map<string, Form[]>;
  /** Other spellings of each token. */
  variants: Map<string, string[]>;
  concepts: Concept[];
  config: string | null;
}

export interface Expansion {
  reads: TokensToRead;
  synonymMatches: SynonymMatch[];
  inSynonyms: ReadonlySet<string>;
  splits: ReadonlyMap<string, string[][]>;
  parts: ReadonlyMap<string, string[]>;
  verbs: ReadonlyMap<string, ReturnType<typeof verbParts>>;
}

/** What may be added to each concept: synonyms, related tokens, parts of a compound, and corrections of typos. */
export async function planExpansion(tx: Tx, query: QueryTokens): Promise<Expansion> {
  const { formsOf, concepts, config } = query;
  const configs = config ? [config] : [...new Set([...formsOf.values()].flat().map((form) => form.config))];
  const synonymMatches: SynonymMatch[] = [];
  for (const each of configs) synonymMatches.push(...(await synonymsIn(tx, each, query)));
  const unknown = concepts.filter(({ alternatives }) => alternatives.length === 0).map(({ token }) => token);
  const isCompounding = configs.some((each) => compoundParts(each, []) !== undefined);
  const splits = new Map(
    (isCompounding ? concepts.map(({ token }) => token) : unknown).map((token) => [token, splitsOf(token)]),
  );
  const inSynonyms = new Set(synonymMatches.flatMap(({ matchedTokens }) => [...matchedTokens])); // listed as a synonym, so not a typo
  const parts = new Map(concepts.map(({ token }) => [token, configs.flatMap((each) => partsIn(each, token))]));
  const verbs = new Map(configs.includes('german') ? concepts.map(({ token }) => [token, verbParts(token)]) : []);
  const reads = {
    lexemes: [...new Set(synonymMatches.flatMap(({ lexemes }) => lexemes))],
    tokens: [
      ...new Set(
        [...splits.values(), ...parts.values(), ...verbs.values()].flat(2).filter((each) => each !== undefined),
      ),
    ],
    ranges: concepts.flatMap(({ token, alternatives }) => rangesFor(token, alternatives.length === 0)),
  };
  return { reads, synonymMatches, inSynonyms, splits, parts, verbs };
}

/** The concepts with the alternatives that the sources have. */
export function expand(
  { formsOf, concepts: plain, config }: QueryTokens,
  { synonymMatches, inSynonyms, splits, parts, verbs }: Expansion,
  found: readonly TokenRow[],
): Concept[] {
  const concepts = plain.map((concept) => ({
    ...concept,
    alternatives: concept.alternatives.map((one) => ({ ...one })),
  }));
  const byLexeme = new Map(found.map((row) => [row.lexeme, row]));
  const byToken = new Map(found.map((row) => [row.token, row]));
  const alike = Map.groupBy(found, ({ like }) => like ?? '');

  for (const concept of concepts) {
    const isUnknown = concept.alternatives.length === 0;
    const add = (rows: (TokenRow | undefined)[], weight: number, language: string | null = null) => {
      const lexemes = rows.flatMap((row) => row?.lexeme ?? []);
      if (lexemes.length < rows.length || hasOne(concept, lexemes)) return;
      const chunks = Math.min(...rows.map((row) => row?.chunks ?? 0));
      concept.alternatives.push({ lexemes, config: language, weight, chunks, rarity: 0 });
    };
    const similar = alike.get(concept.token) ?? [];
    for (const row of similar) if (isRelated(row.token, concept.token)) add([row], 0.6);
    if (isUnknown && !inSynonyms.has(concept.token))
      for (const { row, similarity } of closest(similar, concept.token, stemOf(formsOf, concept.token, config)))
        add([row], similarity);
    for (const part of parts.get(concept.token) ?? []) add([byToken.get(part)], partWeight(part, concept.token));
    const tokenSplits = splits.get(concept.token) ?? [];
    if (tokenSplits.length > 0) {
      const known = tokenSplits.find((pieces) => pieces.every((piece) => byToken.has(piece)));
      const tail = tokenSplits.map(([, last]) => last ?? '').filter((last) => last.length >= 5 && byToken.has(last));
      const pieces = known ?? tail.sort((a, b) => b.length - a.length).slice(0, 1);
      for (const piece of pieces) add([byToken.get(piece)], partWeight(piece, concept.token));
    }
    const verb = verbs.get(concept.token);
    if (verb)
      add(
        verb.map((part) => byToken.get(part)),
        0.8,
        'german',
      );
    for (const { matchedTokens, lexemes, config: language } of synonymMatches) {
      if (matchedTokens.has(concept.token))
        add(
          lexemes.map((lexeme) => byLexeme.get(lexeme)),
          0.65,
          language,
        );
    }
  }
  return concepts;
}

const hasOne = ({ alternatives }: Concept, lexemes: readonly string[]): boolean =>
  alternatives.some((alternative) => alternative.lexemes.join(' ') === lexemes.join(' '));

/** The longer the part, the more it says about the compound. */
const partWeight = (part: string, token: string) => 0.4 + 0.5 * (part.length / token.length);

/** The most likely corrections of a mistyped token. */
function closest(
  rows: readonly TokenRow[],
  token: string,
  stem: string | undefined,
): { row: TokenRow; similarity: number }[] {
  const all = rows
    .map((row) => ({
      row,
      similarity: Math.max(closeness(row.token, token), stem ? closeness(row.lexeme, stem) - 0.05 : 0),
    }))
    .filter(({ similarity }) => similarity > 0);
  const best = Math.max(0, ...all.map(({ similarity }) => similarity));
  return all.filter(({ similarity }) => similarity >= best - 0.05);
}

const stemOf = (formsOf: Map<string, Form[]>, token: string, config: string | null): string | undefined =>
  (formsOf.get(token) ?? []).find((form) => config === null || form.config === config)?.lexeme ?? undefined;

function partsIn(config: string, token: string): string[] {
  const dictionary = compoundParts(config, []);
  return dictionary ? splitCompound(token, dictionary) : [];
}

interface SynonymMatch {
  /** The tokens of the question that matched the group. */
  matchedTokens: Set<string>;
  lexemes: string[];
  config: string;
}

async function synonymsIn(tx: Tx, config: string, { tokens, formsOf, variants }: QueryTokens): Promise<SynonymMatch[]> {
  const lexemesOf = (token: string) =>
    (formsOf.get(token) ?? []).flatMap((form) => (form.config === config && form.lexeme !== null ? [form.lexeme] : []));
  const queryTerms = tokens
    .map((token) => ({ token, lexemes: [token, ...(variants.get(token) ?? [])].flatMap(lexemesOf) }))
    .filter(({ token }) => lexemesOf(token).length > 0);
  const groups = (await lexemesOfSynonyms(tx, config)).map((terms) => ({
    terms,
    matches: terms.map((term) => matchOf(term, queryTerms)),
  }));
  // "Send a bike back" is about returns, and not about sending.
  const inExpressions = new Set(groups.flatMap(({ matches }) => matches.filter((match) => match.length > 1)).flat());
  return groups.flatMap(({ terms, matches }) => {
    const meant = matches.filter((match) => match.length > 1 || match.some((token) => !inExpressions.has(token)));
    const matchedTokens = new Set(meant.flat());
    return matchedTokens.size === 0
      ? []
      : terms.filter((_, n) => matches[n]?.length === 0).map((lexemes) => ({ matchedTokens, lexemes, config }));
  });
}

/** How many other tokens may stand between the tokens of an expression. */
const maxGap = 2;

/** The tokens of the question that are this term, in its order; empty if it does not have them. */
function matchOf(term: readonly string[], queryTerms: readonly { token: string; lexemes: string[] }[]): string[] {
  const tokensFrom = (start: number): string[] => {
    const tokens: string[] = [];
    let from = start;
    for (const lexeme of term) {
      const until = tokens.length === 0 ? start + 1 : from + maxGap + 1;
      const at = queryTerms.findIndex(({ lexemes }, n) => n >= from && n < until && lexemes.includes(lexeme));
      if (at === -1) return [];
      tokens.push(queryTerms[at]?.token ?? '');
      from = at + 1;
    }
    return tokens;
  };
  return queryTerms.map((_, start) => tokensFrom(start)).find((tokens) => tokens.length > 0) ?? [];
}

/** Stems are constant while the process runs, so each language is read once. */
const stemmed = new Map<string, string[][][]>();
async function lexemesOfSynonyms(tx: Tx, config: string): Promise<string[][][]> {
  const cached = stemmed.get(config);
  if (cached) return cached;
  const groups = synonyms.get(config) ?? [];
  const terms = groups.flat();
  const lexemes = terms.length > 0 ? await readLexemes(tx, config, terms) : [];
  let index = 0;
  const result = groups.map((group) => group.map(() => lexemes[index++] ?? []).filter((term) => term.length > 0));
  stemmed.set(config, result);
  return result;
}
