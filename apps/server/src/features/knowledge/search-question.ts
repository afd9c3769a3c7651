import type { Tx } from '../../platform/db.ts';
import { partsKnown, partsOf } from './passages-compounds.ts';
import { configOf, joinedWords, wordsOf } from './passages-words.ts';
import { closeness, isRelated, rangesFor, spellings, splitsOf } from './search-alike.ts';
import { isChatter } from './search-chatter.ts';
import { synonyms } from './search-synonyms.ts';
import { readForms, readKnown, readLexemes, type Form, type Known } from './search.store.ts';

/** One way in which a passage may speak of what was asked. */
export interface Alternative {
  /** All of them, close together. */
  lexemes: string[];
  /** Only in passages of this language; null: in any. */
  config: string | null;
  /** 1 for the word itself, less for what only resembles it. */
  weight: number;
  passages: number;
}

/** A word of the question that says what it is about. */
export interface Concept {
  word: string;
  /** How much rarer than others it is. */
  rarity: number;
  alternatives: Alternative[];
}

export interface Question {
  concepts: Concept[];
  /** The language it is asked in, where that is plain. */
  config: string | null;
}

const mostWords = 60;
const mostConcepts = 14;

export async function readQuestion(
  tx: Tx,
  sourceIds: readonly string[],
  text: string,
  hinted: readonly string[],
): Promise<Question> {
  const words = [...new Set(wordsOf(text))].filter((word) => word.length <= 60).slice(0, mostWords);
  if (words.length === 0) return { concepts: [], config: null };
  const neighbours = new Map<string, string[]>();
  for (const [n, word] of words.entries()) {
    const others = [words[n - 1] && `${words[n - 1]}${word}`, words[n + 1] && `${word}${words[n + 1]}`];
    neighbours.set(word, others.filter((other) => other !== undefined && other.length >= 5) as string[]);
  }
  const variants = new Map(words.map((word) => [word, [...spellings(word), ...(neighbours.get(word) ?? [])]]));
  const asked = [...new Set([...words, ...joinedWords(text), ...[...variants.values()].flat()])];
  const { forms, total } = await readForms(tx, sourceIds, asked);
  const formsOf = Map.groupBy(forms, ({ word }) => word);
  const config = languageOf(words, formsOf, hinted);

  const chosen = informative(words, formsOf, config);
  const concepts = chosen.map((word): Concept => {
    const own = known(formsOf.get(word), 1);
    const others = (variants.get(word) ?? []).flatMap((variant) => known(formsOf.get(variant), 0.9));
    return { word, rarity: 0, alternatives: [...own, ...others] };
  });
  await widen(tx, sourceIds, { words, formsOf, concepts, config });
  for (const concept of concepts) concept.rarity = rarityOf(concept, total);
  concepts.sort((a, b) => b.rarity - a.rarity);
  return { concepts: concepts.slice(0, mostConcepts), config };
}

const known = (forms: Form[] | undefined, weight: number): Alternative[] =>
  (forms ?? []).flatMap(({ lexeme, config, passages }) =>
    lexeme !== null && passages > 0 ? [{ lexemes: [lexeme], config, weight, passages }] : [],
  );

/** The language whose stop words it has: with none, or as many of two, it is nobody's. */
function languageOf(words: string[], formsOf: Map<string, Form[]>, hinted: readonly string[]): string | null {
  const hints = new Set(hinted.map(configOf));
  const points = new Map<string, number>();
  for (const word of words) {
    for (const { config, lexeme } of formsOf.get(word) ?? []) {
      const isSmall = lexeme === null ? 1 : isChatter(config, word) ? 0.6 : 0;
      points.set(config, (points.get(config) ?? (hints.has(config) ? 0.5 : 0)) + isSmall);
    }
  }
  const [first, second] = [...points].sort((a, b) => b[1] - a[1]);
  return first && first[1] > (second?.[1] ?? 0) ? first[0] : null;
}

/** Without stop words and chatter; when nothing else is left, with the chatter. */
function informative(words: string[], formsOf: Map<string, Form[]>, config: string | null): string[] {
  const contents = words.filter((word) => {
    const forms = (formsOf.get(word) ?? []).filter((form) => config === null || form.config === config);
    return forms.some(({ lexeme }) => lexeme !== null) && (word.length > 1 || /\p{N}/u.test(word));
  });
  const telling = contents.filter((word) => {
    const forms = formsOf.get(word) ?? [];
    return config === null ? !forms.every((form) => isChatter(form.config, word)) : !isChatter(config, word);
  });
  return telling.length > 0 ? telling : contents;
}

/** Other words for the same: synonyms, relatives, parts of a compound, and what a mistyped word was meant to be. */
async function widen(
  tx: Tx,
  sourceIds: readonly string[],
  {
    words,
    formsOf,
    concepts,
    config,
  }: { words: string[]; formsOf: Map<string, Form[]>; concepts: Concept[]; config: string | null },
): Promise<void> {
  const configs = config ? [config] : [...new Set([...formsOf.values()].flat().map((form) => form.config))];
  const meant = (await Promise.all(configs.map((each) => synonymsIn(tx, each, words, formsOf)))).flat();
  const unknown = concepts.filter(({ alternatives }) => alternatives.length === 0).map(({ word }) => word);
  const splits = new Map(unknown.map((word) => [word, splitsOf(word)]));
  const parts = new Map(concepts.map(({ word }) => [word, configs.flatMap((each) => partsIn(each, word))]));
  const found = await readKnown(tx, sourceIds, {
    lexemes: [...new Set(meant.flatMap(({ lexemes }) => lexemes))],
    words: [...new Set([...[...splits.values()].flat(2), ...[...parts.values()].flat()])],
    ranges: concepts.flatMap(({ word, alternatives }) => rangesFor(word, alternatives.length === 0)),
  });
  const byLexeme = new Map(found.map((row) => [row.lexeme, row]));
  const byWord = new Map(found.map((row) => [row.word, row]));
  const alike = Map.groupBy(found, ({ like }) => like ?? '');

  for (const concept of concepts) {
    const isUnknown = concept.alternatives.length === 0;
    const add = (row: Known | undefined, weight: number) => {
      if (!row || concept.alternatives.some(({ lexemes }) => lexemes.length === 1 && lexemes[0] === row.lexeme)) return;
      concept.alternatives.push({ lexemes: [row.lexeme], config: null, weight, passages: row.passages });
    };
    for (const row of alike.get(concept.word) ?? []) {
      if (isRelated(row.word, concept.word)) add(row, 0.6);
      else if (isUnknown) {
        const close = closeness(row.word, concept.word);
        if (close > 0) add(row, close);
      }
    }
    for (const part of parts.get(concept.word) ?? []) add(byWord.get(part), 0.5);
    if (isUnknown) {
      const split = (splits.get(concept.word) ?? []).find((pieces) => pieces.every((piece) => byWord.has(piece)));
      for (const piece of split ?? []) add(byWord.get(piece), 0.6);
    }
    for (const { from, lexemes, config: language } of meant) {
      const rows = lexemes.map((lexeme) => byLexeme.get(lexeme));
      if (!from.has(concept.word) || rows.some((row) => row === undefined)) continue;
      if (lexemes.length === 1) add(rows[0], 0.7);
      else {
        const passages = Math.min(...rows.map((row) => row?.passages ?? 0));
        concept.alternatives.push({ lexemes, config: language, weight: 0.7, passages });
      }
    }
  }
}

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

async function synonymsIn(tx: Tx, config: string, words: string[], formsOf: Map<string, Form[]>): Promise<Meant[]> {
  const meanings = await lexemesOfSynonyms(tx, config);
  const lexemes = words.map((word) => (formsOf.get(word) ?? []).find((form) => form.config === config)?.lexeme ?? null);
  const said = lexemes.flatMap((lexeme, n) => (lexeme === null ? [] : [{ lexeme, word: words[n] ?? '' }]));
  return meanings.flatMap((terms) => {
    const from = new Set<string>();
    const isSaid = terms.map((term) => {
      for (let n = 0; n + term.length <= said.length; n++) {
        if (!term.every((lexeme, m) => said[n + m]?.lexeme === lexeme)) continue;
        for (let m = 0; m < term.length; m++) from.add(said[n + m]?.word ?? '');
        return true;
      }
      return false;
    });
    if (from.size === 0) return [];
    return terms.filter((_, n) => !isSaid[n]).map((term) => ({ from, lexemes: term, config }));
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

/** As BM25 has it. A word that no passage has is the rarest of all. */
function rarityOf({ alternatives }: Concept, total: number): number {
  const exact = alternatives.filter(({ weight }) => weight >= 0.9);
  const counted = exact.length > 0 ? exact : alternatives;
  const passages = counted.length > 0 ? Math.max(...counted.map((each) => each.passages)) : 0;
  return Math.log(1 + Math.max(0, total - passages + 0.5) / (passages + 0.5));
}
