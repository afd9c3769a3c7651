import type { Tx } from '../../platform/db.ts';
import { configOf, joinedWords, wordsOf } from './chunks-words.ts';
import { spellings } from './search-alike.ts';
import { isChatter, isNearlyChatter } from './search-chatter.ts';
import { isCommon } from './search-common.ts';
import type { Alternative, Concept, Question } from './search-concepts.ts';
import { expectedIn } from './search-expected.ts';
import { verbForms } from './search-german.ts';
import { widen } from './search-widening.ts';
import { readForms, type Form } from './search.store.ts';

/** What a word counts that everybody uses about everything. */
const commonShare = 0.35;
const mostWords = 60;
const mostConcepts = 16;

export async function readQuestion(
  tx: Tx,
  sourceIds: readonly string[],
  text: string,
  hinted: readonly string[],
): Promise<Question> {
  const words = [...new Set(wordsOf(text))].filter((word) => word.length <= 60).slice(0, mostWords);
  const expected = expectedIn(text.slice(0, 4_000));
  if (words.length === 0) return { concepts: [], config: null, expected };
  const variants = new Map(words.map((word, n) => [word, variantsOf(word, n, words)]));
  const asked = [...new Set([...words, ...joinedWords(text), ...[...variants.values()].flat()])];
  const { forms, total } = await readForms(tx, sourceIds, asked);
  const formsOf = Map.groupBy(forms, ({ word }) => word);
  const config = languageOf(words, formsOf, hinted);

  const all = informative(words, formsOf, config).map((word): Concept => {
    const own = known(formsOf.get(word), 1);
    const others = (variants.get(word) ?? []).flatMap((variant) => known(formsOf.get(variant), 0.9));
    return { word, rarity: 0, alternatives: [...own, ...others] };
  });
  const concepts = all.filter(({ word, alternatives }) => alternatives.length > 0 || !isNearlyChatter(config, word));
  await widen(tx, sourceIds, { words, formsOf, variants, concepts, config });
  for (const concept of concepts) weigh(concept, total, isCommon(config, concept.word) ? commonShare : 1);
  const different = concepts.filter((concept, n) => !concepts.slice(0, n).some((other) => isSame(concept, other)));
  return { concepts: different.sort((a, b) => b.rarity - a.rarity).slice(0, mostConcepts), config, expected };
}

/** Spelt otherwise, written in one word with its neighbour, or a verb that came apart. */
function variantsOf(word: string, n: number, words: readonly string[]): string[] {
  const [before, after] = [words[n - 1], words[n + 1]];
  const joined = [before && `${before}${word}`, after && `${word}${after}`].filter((each) => each && each.length >= 5);
  return [...spellings(word), ...(joined as string[]), ...verbForms(word, words)];
}

const known = (forms: Form[] | undefined, weight: number): Alternative[] =>
  (forms ?? []).flatMap(({ lexeme, config, chunks }) =>
    lexeme !== null && chunks > 0 ? [{ lexemes: [lexeme], config, weight, chunks, rarity: 0 }] : [],
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

/** Rarity as BM25 has it. A word that no chunk has is the rarest of all. */
function weigh(concept: Concept, total: number, share: number) {
  const rarityOf = (chunks: number) => Math.log(1 + Math.max(0, total - chunks + 0.5) / (chunks + 0.5));
  for (const alternative of concept.alternatives) alternative.rarity = rarityOf(alternative.chunks);
  const best = Math.max(0, ...concept.alternatives.map(({ weight }) => weight));
  const closest = concept.alternatives.filter(({ weight }) => weight >= best - 0.1);
  concept.rarity = share * rarityOf(Math.max(0, ...closest.map(({ chunks }) => chunks)));
}

/** "order" and "ordered": once is enough. */
function isSame(a: Concept, b: Concept): boolean {
  const main = ({ alternatives }: Concept) => alternatives.find(({ weight }) => weight >= 0.8)?.lexemes.join(' ');
  return main(a) !== undefined && main(a) === main(b);
}
