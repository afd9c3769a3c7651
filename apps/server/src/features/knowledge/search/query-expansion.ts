import type { Tx } from '../../../platform/db.ts';
import { partsKnown, partsOf } from '../chunk/compounds.ts';
import { closeness, isRelated, rangesFor, splitsOf } from './alike.ts';
import { verbParts } from './german.ts';
import type { Concept } from './concepts.ts';
import { synonyms } from './synonyms.ts';
import { readKnown, readLexemes, type Form, type Known } from './search.store.ts';

interface Asked {
  tokens: string[];
  formsOf: Map<string, Form[]>;
  /** How else each token is written. */
  variants: Map<string, string[]>;
  concepts: Concept[];
  config: string | null;
}

/** Other tokens for the same: synonyms, relatives, parts of a compound, and what a mistyped token was meant to be. */
export async function widen(tx: Tx, sourceIds: readonly string[], asked: Asked): Promise<void> {
  const { formsOf, concepts, config } = asked;
  const configs = config ? [config] : [...new Set([...formsOf.values()].flat().map((form) => form.config))];
  const meant: Meant[] = [];
  for (const each of configs) meant.push(...(await synonymsIn(tx, each, asked)));
  const unknown = concepts.filter(({ alternatives }) => alternatives.length === 0).map(({ token }) => token);
  const isCompounding = configs.some((each) => partsKnown(each, []) !== undefined);
  const splits = new Map(
    (isCompounding ? concepts.map(({ token }) => token) : unknown).map((token) => [token, splitsOf(token)]),
  );
  const real = new Set(meant.flatMap(({ from }) => [...from])); // in the table of synonyms: no typing error
  const parts = new Map(concepts.map(({ token }) => [token, configs.flatMap((each) => partsIn(each, token))]));
  const verbs = new Map(configs.includes('german') ? concepts.map(({ token }) => [token, verbParts(token)]) : []);
  const found = await readKnown(tx, sourceIds, {
    lexemes: [...new Set(meant.flatMap(({ lexemes }) => lexemes))],
    tokens: [
      ...new Set(
        [...splits.values(), ...parts.values(), ...verbs.values()].flat(2).filter((each) => each !== undefined),
      ),
    ],
    ranges: concepts.flatMap(({ token, alternatives }) => rangesFor(token, alternatives.length === 0)),
  });
  const byLexeme = new Map(found.map((row) => [row.lexeme, row]));
  const byToken = new Map(found.map((row) => [row.token, row]));
  const alike = Map.groupBy(found, ({ like }) => like ?? '');

  for (const concept of concepts) {
    const isUnknown = concept.alternatives.length === 0;
    const add = (rows: (Known | undefined)[], weight: number, language: string | null = null) => {
      const lexemes = rows.flatMap((row) => row?.lexeme ?? []);
      if (lexemes.length < rows.length || hasOne(concept, lexemes)) return;
      const chunks = Math.min(...rows.map((row) => row?.chunks ?? 0));
      concept.alternatives.push({ lexemes, config: language, weight, chunks, rarity: 0 });
    };
    const similar = alike.get(concept.token) ?? [];
    for (const row of similar) if (isRelated(row.token, concept.token)) add([row], 0.6);
    if (isUnknown && !real.has(concept.token))
      for (const { row, close } of closest(similar, concept.token, stemOf(formsOf, concept.token, config)))
        add([row], close);
    for (const part of parts.get(concept.token) ?? []) add([byToken.get(part)], partWeight(part, concept.token));
    const ways = splits.get(concept.token) ?? [];
    if (ways.length > 0) {
      const whole = ways.find((pieces) => pieces.every((piece) => byToken.has(piece)));
      const tail = ways.map(([, last]) => last ?? '').filter((last) => last.length >= 5 && byToken.has(last));
      const pieces = whole ?? tail.sort((a, b) => b.length - a.length).slice(0, 1);
      for (const piece of pieces) add([byToken.get(piece)], partWeight(piece, concept.token));
    }
    const verb = verbs.get(concept.token);
    if (verb)
      add(
        verb.map((part) => byToken.get(part)),
        0.8,
        'german',
      );
    for (const { from, lexemes, config: language } of meant) {
      if (from.has(concept.token))
        add(
          lexemes.map((lexeme) => byLexeme.get(lexeme)),
          0.65,
          language,
        );
    }
  }
}

const hasOne = ({ alternatives }: Concept, lexemes: readonly string[]): boolean =>
  alternatives.some((alternative) => alternative.lexemes.join(' ') === lexemes.join(' '));

/** The more of a token a part is, the more it says of it. */
const partWeight = (part: string, token: string) => 0.4 + 0.5 * (part.length / token.length);

/** What a mistyped token was most likely meant to be, and nothing that is clearly less likely. */
function closest(rows: readonly Known[], token: string, stem: string | undefined): { row: Known; close: number }[] {
  const all = rows
    .map((row) => ({
      row,
      close: Math.max(closeness(row.token, token), stem ? closeness(row.lexeme, stem) - 0.05 : 0),
    }))
    .filter(({ close }) => close > 0);
  const best = Math.max(0, ...all.map(({ close }) => close));
  return all.filter(({ close }) => close >= best - 0.05);
}

const stemOf = (formsOf: Map<string, Form[]>, token: string, config: string | null): string | undefined =>
  (formsOf.get(token) ?? []).find((form) => config === null || form.config === config)?.lexeme ?? undefined;

function partsIn(config: string, token: string): string[] {
  const dictionary = partsKnown(config, []);
  return dictionary ? partsOf(token, dictionary) : [];
}

interface Meant {
  /** The tokens of the question that say it. */
  from: Set<string>;
  lexemes: string[];
  config: string;
}

async function synonymsIn(tx: Tx, config: string, { tokens, formsOf, variants }: Asked): Promise<Meant[]> {
  const lexemesOf = (token: string) =>
    (formsOf.get(token) ?? []).flatMap((form) => (form.config === config && form.lexeme !== null ? [form.lexeme] : []));
  const said = tokens
    .map((token) => ({ token, lexemes: [token, ...(variants.get(token) ?? [])].flatMap(lexemesOf) }))
    .filter(({ token }) => lexemesOf(token).length > 0);
  return (await lexemesOfSynonyms(tx, config)).flatMap((terms) => {
    const from = new Set<string>();
    const isSaid = terms.map((term) => {
      const start = said.findIndex((_, n) => term.every((lexeme, m) => said[n + m]?.lexemes.includes(lexeme)));
      if (start >= 0) for (const { token } of said.slice(start, start + term.length)) from.add(token);
      return start >= 0;
    });
    return from.size === 0 ? [] : terms.filter((_, n) => !isSaid[n]).map((lexemes) => ({ from, lexemes, config }));
  });
}

/** Stems never change while the process runs, so each language's are asked for once. */
const stemmed = new Map<string, string[][][]>();
async function lexemesOfSynonyms(tx: Tx, config: string): Promise<string[][][]> {
  const remembered = stemmed.get(config);
  if (remembered) return remembered;
  const meanings = synonyms.get(config) ?? [];
  const terms = meanings.flat();
  const lexemes = terms.length > 0 ? await readLexemes(tx, config, terms) : [];
  let place = 0;
  const result = meanings.map((meaning) => meaning.map(() => lexemes[place++] ?? []).filter((term) => term.length > 0));
  stemmed.set(config, result);
  return result;
}
