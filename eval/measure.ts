import { quote, search, type SearchResult, type QuestionVector } from '../apps/server/src/features/knowledge/index.ts';
import type { Tx } from '../apps/server/src/platform/db.ts';
import type { Question } from './corpus.ts';
import type { LoadedCorpus } from './load.ts';

export interface Result {
  question: Question;
  /** Rank of the first correct chunk, starting at 1. 0 if none was correct. */
  rank: number;
  isConfident: boolean;
  first: SearchResult | undefined;
  milliseconds: number;
  /** The quoted answer, if the first chunk is a correct one. */
  quoted: { words: number; hasAnswer: boolean } | undefined;
}

/** Searches for each question, with its language as the hint. */
export async function runQuestions(
  tx: Tx,
  loaded: LoadedCorpus,
  questions: readonly Question[],
  vectors: ReadonlyMap<string, QuestionVector> = new Map(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of questions) {
    const startedAt = performance.now();
    const { chunks, isConfident } = await search(tx, loaded.sourceIds, question.question, {
      max: 10,
      languages: [question.language],
      vector: vectors.get(question.id),
    });
    const milliseconds = performance.now() - startedAt;
    const rank = chunks.findIndex((chunk) => isCorrect(question, chunk, loaded.names)) + 1;
    const quoted = rank === 1 ? measureQuote(question, chunks.slice(0, 5)) : undefined;
    results.push({ question, rank, isConfident, first: chunks[0], milliseconds, quoted });
  }
  return results;
}

/** Without the names of the sources. */
function measureQuote({ question, language, answers }: Question, chunks: readonly SearchResult[]) {
  const { text } = quote(question, chunks, { language });
  const answer = text.replaceAll(/^.{1,200} \[\d\]:$/gmu, ' ');
  return {
    words: answer.split(/\s+/u).filter((token) => /[\p{L}\p{N}]/u.test(token)).length,
    hasAnswer: answers.some(({ mustContain }) => plain(text).includes(plain(mustContain))),
  };
}

/** Ignores line breaks and markup. */
const plain = (text: string) => text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').toLowerCase();

const isCorrect = (
  { answers }: Question,
  { documentId, heading, body }: SearchResult,
  names: Map<string, string>,
): boolean =>
  answers.some(
    ({ document, mustContain }) =>
      withoutEnding(names.get(documentId) ?? '').endsWith(withoutEnding(document)) &&
      plain(`${heading}\n${body}`).includes(plain(mustContain)),
  );

const withoutEnding = (name: string) => name.replace(/\.md$/, '').replace(/^.*documents\//, '');

export interface Metrics {
  answerable: number;
  unanswerable: number;
  /** Shares from 0 to 1; NaN without questions. */
  first: number;
  /** A correct first result that is not confident counts as wrong. */
  firstStrict: number;
  amongThree: number;
  reciprocalRank: number;
  noAnswer: number;
  wronglyRefused: number;
  /** Of the rightly found chunks: how long the quoted answer is, and how often it has the sentence that answers. */
  medianWords: number;
  quotedAnswer: number;
}

export function metricsOf(results: readonly Result[]): Metrics {
  const answerable = results.filter(({ question }) => question.answers.length > 0);
  const unanswerable = results.filter(({ question }) => question.answers.length === 0);
  const share = (among: readonly Result[], value: (result: Result) => number) =>
    among.reduce((sum, result) => sum + value(result), 0) / among.length;
  return {
    answerable: answerable.length,
    unanswerable: unanswerable.length,
    first: share(answerable, ({ rank }) => Number(rank === 1)),
    firstStrict: share(answerable, ({ rank, isConfident }) => Number(rank === 1 && isConfident)),
    amongThree: share(answerable, ({ rank }) => Number(rank >= 1 && rank <= 3)),
    reciprocalRank: share(answerable, ({ rank }) => (rank > 0 ? 1 / rank : 0)),
    noAnswer: share(unanswerable, ({ isConfident }) => Number(!isConfident)),
    wronglyRefused: share(answerable, ({ isConfident }) => Number(!isConfident)),
    medianWords: median(answerable.flatMap(({ quoted }) => quoted?.words ?? [])),
    quotedAnswer: share(
      answerable.filter(({ quoted }) => quoted),
      ({ quoted }) => Number(quoted?.hasAnswer),
    ),
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

export const targets = { firstStrict: 0.8, amongThree: 0.92, noAnswer: 0.8 } as const;

/** Regression limits for token search on all questions. A third of them share hardly a word with their answer. */
export const baselines = { firstStrict: 0.58, amongThree: 0.75, noAnswer: 0.8 } as const;

/** Describes the metrics that miss their target. */
export const shortfalls = (metrics: Metrics): string[] =>
  (Object.keys(targets) as (keyof typeof targets)[])
    .filter((name) => metrics[name] < targets[name])
    .map((name) => `${name} ${percent(metrics[name])}, target ${percent(targets[name])}`);

export const percent = (share: number) => (Number.isNaN(share) ? '-' : `${(share * 100).toFixed(1)} %`);
