import type { Tx } from '../../platform/db.ts';
import { partsKnown, partsOf } from './chunks-compounds.ts';
import { closeness, isRelated, rangesFor, splitsOf } from './search-alike.ts';
import { verbParts } from './search-german.ts';
import type { Concept } from './search-concepts.ts';
import { synonyms } from './search-synonyms.ts';
import { readKnown, readLexemes, type Form, type Known } from './search.store.ts';

interface Asked {
  words: string[];
  formsOf: Map<string, Form[]>;
  /** How else each word is written. */
  variants: Map<string, string[]>;
  concepts: Concept[];
  config: string | null;
}

/** Other words for the same: synonyms, relatives, parts of a compound, and what a mistyped word was meant to be. */
export async function widen(tx: Tx, sourceIds: readonly string[], asked: Asked): Promise<void> {
  const { formsOf, concepts, config } = asked;
  const configs = config ? [config] : [...new Set([...formsOf.values()].flat().map((form) => form.config))];
  const meant: Meant[] = [];
  for (const each of configs) meant.push(...(await synonymsIn(tx, each, asked)));
  const unknown = concepts.filter(({ alternatives }) => alternatives.length === 0).map(({ word }) => word);
  const isCompounding = configs.some((each) => partsKnown(each, []) !== undefined);
  const splits = new Map(
    (isCompounding ? concepts.map(({ word }) => word) : unknown).map((word) => [word, splitsOf(word)]),
  );
  const real = new Set(meant.flatMap(({ from }) => [...from])); // in the table of synonyms: no typing error
  const parts = new Map(concepts.map(({ word }) => [word, configs.flatMap((each) => partsIn(each, word))]));
  const verbs = new Map(configs.includes('german') ? concepts.map(({ word }) => [word, verbParts(word)]) : []);
  const found = await readKnown(tx, sourceIds, {
    lexemes: [...new Set(meant.flatMap(({ lexemes }) => lexemes))],
    words: [
      ...new Set(
        [...splits.values(), ...parts.values(), ...verbs.values()].flat(2).filter((each) => each !== undefined),
      ),
    ],
    ranges: concepts.flatMap(({ word, alternatives }) => rangesFor(word, alternatives.length === 0)),
  });
  const byLexeme = new Map(found.map((row) => [row.lexeme, row]));
  const byWord = new Map(found.map((row) => [row.word, row]));
  const alike = Map.groupBy(found, ({ like }) => like ?? '');

  for (const concept of concepts) {
    const isUnknown = concept.alternatives.length === 0;
    const add = (rows: (Known | undefined)[], weight: number, language: string | null = null) => {
      const lexemes = rows.flatMap((row) => row?.lexeme ?? []);
      if (lexemes.length < rows.length || hasOne(concept, lexemes)) return;
      const chunks = Math.min(...rows.map((row) => row?.chunks ?? 0));
      concept.alternatives.push({ lexemes, config: language, weight, chunks, rarity: 0 });
    };
    const similar = alike.get(concept.word) ?? [];
    for (const row of similar) if (isRelated(row.word, concept.word)) add([row], 0.6);
    if (isUnknown && !real.has(concept.word))
      for (const { row, close } of closest(similar, concept.word, stemOf(formsOf, concept.word, config)))
        add([row], close);
    for (const part of parts.get(concept.word) ?? []) add([byWord.get(part)], partWeight(part, concept.word));
    const ways = splits.get(concept.word) ?? [];
    if (ways.length > 0) {
      const whole = ways.find((pieces) => pieces.every((piece) => byWord.has(piece)));
      const tail = ways.map(([, last]) => last ?? '').filter((last) => last.length >= 5 && byWord.has(last));
      const pieces = whole ?? tail.sort((a, b) => b.length - a.length).slice(0, 1);
      for (const piece of pieces) add([byWord.get(piece)], partWeight(piece, concept.word));
    }
    const verb = verbs.get(concept.word);
    if (verb)
      add(
        verb.map((part) => byWord.get(part)),
        0.8,
        'german',
      );
    for (const { from, lexemes, config: language } of meant) {
      if (from.has(concept.word))
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

/** The more of a word a part is, the more it says of it. */
const partWeight = (part: string, word: string) => 0.4 + 0.5 * (part.length / word.length);

/** What a mistyped word was most likely meant to be, and nothing that is clearly less likely. */
function closest(rows: readonly Known[], word: string, stem: string | undefined): { row: Known; close: number }[] {
  const all = rows
    .map((row) => ({ row, close: Math.max(closeness(row.word, word), stem ? closeness(row.lexeme, stem) - 0.05 : 0) }))
    .filter(({ close }) => close > 0);
  const best = Math.max(0, ...all.map(({ close }) => close));
  return all.filter(({ close }) => close >= best - 0.05);
}

const stemOf = (formsOf: Map<string, Form[]>, word: string, config: string | null): string | undefined =>
  (formsOf.get(word) ?? []).find((form) => config === null || form.config === config)?.lexeme ?? undefined;

function partsIn(config: string, word: string): string[] {
  const dictionary = partsKnown(config, []);
  return dictionary ? partsOf(word, dictionary) : [];
}

interface Meant {
  /** The words of the question that say it. */
  from: Set<string>;
  lexemes: string[];
  config: string;
}

async function synonymsIn(tx: Tx, config: string, { words, formsOf, variants }: Asked): Promise<Meant[]> {
  const lexemesOf = (word: string) =>
    (formsOf.get(word) ?? []).flatMap((form) => (form.config === config && form.lexeme !== null ? [form.lexeme] : []));
  const said = words
    .map((word) => ({ word, lexemes: [word, ...(variants.get(word) ?? [])].flatMap(lexemesOf) }))
    .filter(({ word }) => lexemesOf(word).length > 0);
  return (await lexemesOfSynonyms(tx, config)).flatMap((terms) => {
    const from = new Set<string>();
    const isSaid = terms.map((term) => {
      const start = said.findIndex((_, n) => term.every((lexeme, m) => said[n + m]?.lexemes.includes(lexeme)));
      if (start >= 0) for (const { word } of said.slice(start, start + term.length)) from.add(word);
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
