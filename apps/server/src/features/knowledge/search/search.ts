import type { Tx } from '../../../platform/db.ts';
import { fuse, isAnswer, matchesOf, vectorWeight, type Match } from './ranking.ts';
import type { Concept } from './concepts.ts';
import { readQuestion } from './question.ts';
import { readCandidates } from './search.store.ts';
import { hasVectors, readNearest, type QuestionVector } from './vectors.store.ts';

export interface SearchResult {
  documentId: string;
  place: number;
  sourceId: string;
  title: string;
  /** The URL of the page; null if it is not a web page. */
  url: string | null;
  heading: string;
  body: string;
  /** Relevance, from 0 to about 1. */
  score: number;
  /** The tokens of the question that match, in any form. Empty if only the vector matches. */
  matched: string[];
}

export interface SearchOptions {
  max?: number;
  /** Likely languages of the question, best first. */
  languages?: readonly string[];
  /** The embedding of the question, computed before the transaction. Without it, only tokens are searched. */
  vector?: QuestionVector | undefined;
}

/** The number of chunks an answer is based on. */
export const maxResults = 5;
const maxCandidates = 64;
/**
 * All vectors of a bot are compared: 20,000 take 30 ms at 512 dimensions, 120 ms at 1,536. Far more would need an
 * index.
 */
const maxNearest = 40;

/** Searches these sources. Returns the best chunks first, and whether the best one is good enough to answer with. */
export async function search(
  tx: Tx,
  sourceIds: readonly string[],
  question: string,
  { max = maxResults, languages = [], vector }: SearchOptions = {},
): Promise<{ chunks: SearchResult[]; isConfident: boolean }> {
  const noResults = { chunks: [], isConfident: false };
  if (sourceIds.length === 0) return noResults;
  const query = await readQuestion(tx, sourceIds, question, languages);
  const terms = rarestTerms(query.concepts);
  const useVectors = vector !== undefined && (await hasVectors(tx));
  if (terms.length === 0 && !useVectors) return noResults;
  const marked = [
    ...new Set(query.concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ lexemes }) => lexemes))),
  ];
  const candidates =
    terms.length === 0 ? [] : await readCandidates(tx, sourceIds, { terms, marked, max: maxCandidates });
  const byTokens = matchesOf(query, candidates).toSorted((a, b) => b.score - a.score);
  const nearest = useVectors ? await readNearest(tx, sourceIds, vector, { marked, max: maxNearest }) : [];
  const matches = matchesOf(
    query,
    nearest.map(({ candidate }) => candidate),
  );
  const byVector = matches.map((match, n) => ({ ...match, similarity: nearest[n]?.similarity }));
  const ranked = fuse([
    { weight: 1, matches: byTokens },
    { weight: vectorWeight(query, byTokens), matches: byVector },
  ]);
  const isByTokens = isAnswer(query, ranked);
  const isConfident = isByTokens || (ranked[0]?.similarity ?? 0) >= (vector?.confidentAt ?? Infinity);
  // Results found by vector are scored by similarity: their token scores say little.
  const scoreOf = (match: Match) => (isByTokens || nearest.length === 0 ? match.score : (match.similarity ?? 0));
  return { chunks: ranked.slice(0, max).map((match) => toSearchResult(match, scoreOf(match))), isConfident };
}

/** Common tokens would match every chunk, so the rarest terms select the candidates. Ranking uses all terms. */
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

const toSearchResult = ({ candidate, tokens }: Match, score: number): SearchResult => ({
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
