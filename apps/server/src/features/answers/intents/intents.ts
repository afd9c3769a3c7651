import { intents, type Intent, type LanguageRules } from './rules.ts';
import { endsOf, firstWordsOf, phraseCompiler, wordsIn, type Phrase } from './phrases.ts';

// What a visitor wants when it is not a question: recognised before the search, with and without a model.

export interface RecognizedIntent {
  intent: Intent;
  /** The language of the phrase. */
  language: string;
}

/** Loaded on first use: the rules of a language are 100 KB and more. */
const languageRules: Readonly<Record<string, () => Promise<LanguageRules>>> = {
  en: async () => (await import('./languages/en.ts')).en,
  de: async () => (await import('./languages/de.ts')).de,
  fr: async () => (await import('./languages/fr.ts')).fr,
  es: async () => (await import('./languages/es.ts')).es,
  nl: async () => (await import('./languages/nl.ts')).nl,
  it: async () => (await import('./languages/it.ts')).it,
  pt: async () => (await import('./languages/pt.ts')).pt,
  pl: async () => (await import('./languages/pl.ts')).pl,
  tr: async () => (await import('./languages/tr.ts')).tr,
};

interface Compiled {
  filler: IndexedPhrase[];
  phrases: IndexedPhrase[];
  cues: IndexedPhrase[];
  questions: IndexedPhrase[];
  notHuman: IndexedPhrase[];
  /** Tokens that may have been meant, by first character and length. */
  vocabulary: ReadonlyMap<string, readonly string[]>;
  /** Tokens that are right as they are. */
  known: ReadonlySet<string>;
}

interface IndexedPhrase extends Phrase {
  intent: Intent | undefined;
  firstWords: ReadonlySet<string> | undefined;
}

/** Longer messages are about something else, or are searched for a request for a person at most. */
const maxCharacters = 1_000;
const maxWords = 60;
/** Shorter tokens differ from too many others by one character. */
const minCorrected = 5;
const maxWordsAsWhole = 30;

/** Tokens as people type them: without case, accents, apostrophes and repeated characters. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’`´]/gu, '')
    .replaceAll(/ä/gu, 'ae')
    .replaceAll(/ö/gu, 'oe')
    .replaceAll(/ü/gu, 'ue')
    .replaceAll(/ß/gu, 'ss')
    .replaceAll(/ł/gu, 'l')
    .replaceAll(/ı/gu, 'i')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1')
    .replaceAll(/[^\p{L}\p{N}\p{Extended_Pictographic}]+/gu, ' ')
    .replaceAll(/(\p{Extended_Pictographic})/gu, ' $1 ')
    .trim();

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function compile(rule: LanguageRules): Compiled {
  const { filler, lists, cues = {}, questions = '', notHuman } = rule;
  const compileLine = phraseCompiler(lists, fold);
  const compileAll = (lines: readonly string[], intent?: Intent): IndexedPhrase[] =>
    lines
      .map(compileLine)
      .filter(({ steps }) => steps.length > 0)
      .map((phrase) => ({ ...phrase, intent, firstWords: firstWordsOf(phrase) }));
  const compileIntents = (texts: Partial<Record<Intent, string>>) =>
    intents.flatMap((intent) => compileAll(linesOf(texts[intent] ?? ''), intent));
  const compiledRule = {
    filler: compileAll(filler.split(',')),
    phrases: compileIntents(rule.phrases),
    cues: compileIntents(cues),
    questions: compileAll(questions.split(',')),
    notHuman: compileAll(linesOf(notHuman)),
  };
  const meant = new Set([...compiledRule.filler, ...compiledRule.phrases].flatMap(wordsIn));
  const others = [...compiledRule.cues, ...compiledRule.questions, ...compiledRule.notHuman].flatMap(wordsIn);
  return {
    ...compiledRule,
    vocabulary: Map.groupBy(
      [...meant].filter((word) => word.length >= minCorrected),
      (word) => `${word[0]}${word.length}`,
    ),
    known: new Set([...meant, ...others]),
  };
}

/** A language takes 4 to 5 MB, and a bot rarely has more than two. */
const compiled = new Map<string, Promise<Compiled>>();
function rulesOf(language: string): Promise<Compiled> | undefined {
  const load = languageRules[language];
  const known = compiled.get(language) ?? load?.().then(compile);
  if (known) compiled.set(language, known);
  return known;
}

/** Whether two tokens differ by one character: missing, added, another one, or swapped with the next. */
function isOneEditApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const rest = short.slice(at);
  if (short.length < long.length) return rest === long.slice(at + 1);
  if (rest.slice(1) === long.slice(at + 1)) return true;
  return short[at] === long[at + 1] && short[at + 1] === long[at] && rest.slice(2) === long.slice(at + 2);
}

/** Replaces tokens with one typing error by the token that was probably meant: "pelase". */
function correct(word: string, { vocabulary, known }: Compiled): string {
  if (word.length < minCorrected || known.has(word)) return word;
  for (const length of [word.length, word.length - 1, word.length + 1])
    for (const meant of vocabulary.get(`${word[0]}${length}`) ?? []) if (isOneEditApart(meant, word)) return meant;
  return word;
}

const isAnywhere = (phrase: IndexedPhrase, words: readonly string[]) =>
  words.some((word, start) => phrase.firstWords?.has(word) !== false && endsOf(phrase, words, start).size > 0);

/**
 * The intent of phrases that cover the whole message, together with filler tokens. The fewest phrases that do so are taken:
 * "good morning" is one, and not "good" and "morning".
 */
function intentOfWhole({ phrases, filler }: Compiled, words: readonly string[]): Intent | undefined {
  /** By the token up to which they are covered: the fewest parts for each set of intents (as bits). */
  const reached = Array.from({ length: words.length + 1 }, () => new Map<number, number>());
  reached[0]?.set(0, 0);
  for (const [start, sets] of reached.entries()) {
    const word = words[start];
    if (sets.size === 0 || word === undefined) continue;
    const reach = (phrase: IndexedPhrase) => {
      if (phrase.firstWords?.has(word) === false) return;
      const bit = phrase.intent ? 1 << intents.indexOf(phrase.intent) : 0;
      for (const end of endsOf(phrase, words, start))
        for (const [set, parts] of sets) {
          const fewest = reached[end]?.get(set | bit) ?? Infinity;
          reached[end]?.set(set | bit, Math.min(fewest, parts + 1));
        }
    };
    filler.forEach(reach);
    phrases.forEach(reach);
  }
  const covers = [...(reached.at(-1) ?? [])].filter(([set]) => set !== 0);
  const fewest = Math.min(...covers.map(([, parts]) => parts));
  const sets = covers.filter(([, parts]) => parts === fewest).map(([set]) => set);
  return intents.find((_, n) => sets.some((set) => (set & (1 << n)) !== 0));
}

function recognizeIn(rule: Compiled, words: readonly string[]): Intent | undefined {
  const isRequest = (phrase: IndexedPhrase) => phrase.intent === 'human' && phrase.isAnywhere;
  const isForPerson = rule.phrases.some((phrase) => isRequest(phrase) && isAnywhere(phrase, words));
  if (isForPerson && !isNotForPerson(rule, words)) return 'human';
  return words.length <= maxWordsAsWhole ? intentOfWhole(rule, words) : undefined;
}

const isNotForPerson = ({ notHuman }: Compiled, words: readonly string[]) =>
  notHuman.some((phrase) => isAnywhere(phrase, words));

/** These may be asked as questions. */
const asked = new Set<Intent>(['human', 'identity']);

function likelyIn(rule: Compiled, words: readonly string[]): Intent | undefined {
  const isQuestion = rule.questions.some((phrase) => isAnywhere(phrase, words));
  const found = new Set(rule.cues.filter((phrase) => isAnywhere(phrase, words)).map(({ intent }) => intent));
  if (isNotForPerson(rule, words)) found.delete('human');
  return intents.find((intent) => found.has(intent) && (asked.has(intent) || !isQuestion));
}

const wordsOf = (text: string): string[] => {
  const words = text.length > maxCharacters ? [] : fold(text).split(' ').filter(Boolean);
  return words.length > maxWords ? [] : words;
};

/**
 * The intent of a message that needs no search. The first language is the likely one, in which typing errors are
 * corrected; the others are tried as well, because a short message doesn't tell its language.
 */
export async function recognizeIntent(
  text: string,
  languages: readonly string[],
): Promise<RecognizedIntent | undefined> {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  for (const [n, language] of [...new Set(languages.map(shortTag))].entries()) {
    const rule = await rulesOf(language);
    const intent = rule && recognizeIn(rule, n === 0 ? words.map((word) => correct(word, rule)) : words);
    if (intent) return { intent, language };
  }
  return undefined;
}

/** The likely intent of a message for which no answer was found. Never used for one that has an answer. */
export async function likelyIntent(text: string, languages: readonly string[]): Promise<RecognizedIntent | undefined> {
  const recognized = await recognizeIntent(text, languages);
  if (recognized) return recognized;
  const language = shortTag(languages[0] ?? '');
  const rule = await rulesOf(language);
  const intent = rule && likelyIn(rule, wordsOf(text));
  if (!intent || (text.trimEnd().endsWith('?') && !asked.has(intent))) return undefined;
  return { intent, language };
}

const shortTag = (language: string) => language.slice(0, 2);

/** Languages with rules. */
export const intentLanguages: readonly string[] = Object.keys(languageRules);
