import type { Tx } from '../../../platform/db.ts';
import { fuse, isAnswer, matchesOf, voiceOfVectors, type Match } from './ranking.ts';
import type { Concept } from './concepts.ts';
import { readQuestion } from './question.ts';
import { readCandidates } from './search.store.ts';
import { hasVectors, readNearest, type QuestionVector } from './vectors.store.ts';

export interface Found {
  documentId: string;
  place: number;
  sourceId: string;
  title: string;
  /** Where a reader can open it; null when it is not a page. */
  url: string | null;
  heading: string;
  body: string;
  /** From 0 to about 1: how well it meets the question. */
  score: number;
  /** The tokens of the question that it speaks of, in whatever form; none where only its meaning is near. */
  matched: string[];
}

export interface SearchOptions {
  max?: number;
  /** What the asker is likely to write in, best first. */
  languages?: readonly string[];
  /** What the question means, had before the transaction. Without it, and where no vectors are kept, tokens find alone. */
  vector?: QuestionVector | undefined;
}

/** How many an answer is made from. */
export const maxFound = 5;
const maxCandidates = 64;
/** Each vector of a bot is compared: 20,000 take 30 ms at 512 numbers each, 120 ms at 1,536. Far more want another way. */
const maxNearest = 40;

/** The chunks of these sources that meet a question, best first, and whether the best is good enough to answer with. */
export async function search(
  tx: Tx,
  sourceIds: readonly string[],
  question: string,
  { max: most = maxFound, languages = [], vector }: SearchOptions = {},
): Promise<{ chunks: Found[]; isConfident: boolean }> {
  const nothing = { chunks: [], isConfident: false };
  if (sourceIds.length === 0) return nothing;
  const asked = await readQuestion(tx, sourceIds, question, languages);
  const terms = rarestTerms(asked.concepts);
  const isByMeaning = vector !== undefined && (await hasVectors(tx));
  if (terms.length === 0 && !isByMeaning) return nothing;
  const marked = [
    ...new Set(asked.concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ lexemes }) => lexemes))),
  ];
  const candidates =
    terms.length === 0 ? [] : await readCandidates(tx, sourceIds, { terms, marked, max: maxCandidates });
  const byTokens = matchesOf(asked, candidates).toSorted((a, b) => b.score - a.score);
  const nearest = isByMeaning ? await readNearest(tx, sourceIds, vector, { marked, max: maxNearest }) : [];
  const matches = matchesOf(
    asked,
    nearest.map(({ candidate }) => candidate),
  );
  const byMeaning = matches.map((match, n) => ({ ...match, similarity: nearest[n]?.similarity }));
  const ranked = fuse([
    { weight: 1, matches: byTokens },
    { weight: voiceOfVectors(asked, byTokens), matches: byMeaning },
  ]);
  const isByTokens = isAnswer(asked, ranked);
  const isConfident = isByTokens || (ranked[0]?.similarity ?? 0) >= (vector?.confidentAt ?? Infinity);
  // What was found by its meaning is compared by that: tokens say little of it, and much of what only has them.
  const scoreOf = (match: Match) => (isByTokens || nearest.length === 0 ? match.score : (match.similarity ?? 0));
  return { chunks: ranked.slice(0, most).map((match) => toFound(match, scoreOf(match))), isConfident };
}

/** A token that every chunk has finds everything: the rare ones choose, all are counted afterwards. */
function rarestTerms(concepts: readonly Concept[]): { lexeme: string; worth: number }[] {
  const terms = new Map<string, { lexeme: string; worth: number; chunks: number }>();
  for (const { rarity, alternatives } of concepts) {
    for (const { lexemes, weight, chunks } of alternatives) {
      for (const lexeme of lexemes) {
        const worth = Math.max(terms.get(lexeme)?.worth ?? 0, (rarity * weight) / lexemes.length);
        terms.set(lexeme, { lexeme, worth, chunks });
      }
    }
  }
  const rarest = [...terms.values()].sort((a, b) => a.chunks - b.chunks);
  let chunks = 0;
  return rarest.filter((term, n) => (chunks += term.chunks) <= 300 || n < 3).slice(0, 16);
}

const toFound = ({ candidate, tokens }: Match, score: number): Found => ({
  documentId: candidate.documentId,
  place: candidate.place,
  sourceId: candidate.sourceId,
  title: candidate.title,
  url: /^https?:\/\//i.test(candidate.location) ? candidate.location : null,
  heading: candidate.heading,
  body: candidate.body,
  score,
  matched: tokens,
});
