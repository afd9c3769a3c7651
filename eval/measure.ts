import { search, type Found, type QuestionVector } from '../apps/server/src/features/knowledge/index.ts';
import type { Tx } from '../apps/server/src/platform/db.ts';
import type { Question } from './corpus.ts';
import type { Loaded } from './load.ts';

export interface Result {
  question: Question;
  /** Place of the first right chunk, from 1; 0 when none was right. */
  place: number;
  isConfident: boolean;
  first: Found | undefined;
  milliseconds: number;
}

/** Asks one question after the other, as a visitor who writes in its language would. */
export async function askAll(
  tx: Tx,
  loaded: Loaded,
  questions: readonly Question[],
  vectors: ReadonlyMap<string, QuestionVector> = new Map(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of questions) {
    const began = performance.now();
    const { chunks, isConfident } = await search(tx, loaded.sourceIds, question.question, {
      max: 10,
      languages: [question.language],
      vector: vectors.get(question.id),
    });
    const milliseconds = performance.now() - began;
    const place = chunks.findIndex((chunk) => isRight(question, chunk, loaded.names)) + 1;
    results.push({ question, place, isConfident, first: chunks[0], milliseconds });
  }
  return results;
}

/** Line breaks and marks are not what an answer is known by. */
const plain = (text: string) => text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').toLowerCase();

const isRight = ({ answers }: Question, { documentId, heading, body }: Found, names: Map<string, string>): boolean =>
  answers.some(
    ({ document, mustContain }) =>
      withoutEnding(names.get(documentId) ?? '').endsWith(withoutEnding(document)) &&
      plain(`${heading}\n${body}`).includes(plain(mustContain)),
  );

const withoutEnding = (name: string) => name.replace(/\.md$/, '').replace(/^.*documents\//, '');

export interface Figures {
  answerable: number;
  unanswerable: number;
  /** Shares from 0 to 1; NaN of nothing. */
  first: number;
  /** Where an answer that was held back counts as none. */
  firstStrict: number;
  amongThree: number;
  reciprocalRank: number;
  noAnswer: number;
  wronglyRefused: number;
}

export function figuresOf(results: readonly Result[]): Figures {
  const answerable = results.filter(({ question }) => question.answers.length > 0);
  const unanswerable = results.filter(({ question }) => question.answers.length === 0);
  const share = (among: readonly Result[], value: (result: Result) => number) =>
    among.reduce((sum, result) => sum + value(result), 0) / among.length;
  return {
    answerable: answerable.length,
    unanswerable: unanswerable.length,
    first: share(answerable, ({ place }) => Number(place === 1)),
    firstStrict: share(answerable, ({ place, isConfident }) => Number(place === 1 && isConfident)),
    amongThree: share(answerable, ({ place }) => Number(place >= 1 && place <= 3)),
    reciprocalRank: share(answerable, ({ place }) => (place > 0 ? 1 / place : 0)),
    noAnswer: share(unanswerable, ({ isConfident }) => Number(!isConfident)),
    wronglyRefused: share(answerable, ({ isConfident }) => Number(!isConfident)),
  };
}

export const bars = { firstStrict: 0.8, amongThree: 0.92, noAnswer: 0.8 } as const;

/** What words alone reach on all questions, a third of which share hardly a word with their answer: not to be lost again. */
export const floors = { firstStrict: 0.58, amongThree: 0.75, noAnswer: 0.8 } as const;

/** What is below its bar, in words. */
export const shortfalls = (figures: Figures): string[] =>
  (Object.keys(bars) as (keyof typeof bars)[])
    .filter((name) => figures[name] < bars[name])
    .map((name) => `${name} ${percent(figures[name])}, the bar is ${percent(bars[name])}`);

export const percent = (share: number) => (Number.isNaN(share) ? '-' : `${(share * 100).toFixed(1)} %`);
