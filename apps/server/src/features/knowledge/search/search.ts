import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../../platform/db.ts';
import { configOf } from '../chunk/tokens.ts';
import { fuse, isAnswer, matchesOf, type Match } from './ranking.ts';
import type { Concept, Question } from './concepts.ts';
import { predictionsFor } from './predictions.ts';
import { lookUp, parseQuestion, relate } from './question.ts';
import { readCandidates, readForms, readTokens, type Candidate } from './search.store.ts';
import { measureRetrieval } from './search-metrics.ts';
import { findNearest, readChunks, readVectorSources, type QuestionVector } from './vectors.store.ts';

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
const maxNearest = 40;

/** Searches these sources. Returns the best chunks first, and whether the best one is good enough to answer with. */
export const search = (
  tx: Tx,
  sourceIds: readonly string[],
  question: string,
  options: SearchOptions = {},
): Promise<SearchOutcome> =>
  measureRetrieval(options.vector ? 'hybrid' : 'tokens', () => findChunks(tx, sourceIds, question, options));

interface SearchOutcome {
  chunks: SearchResult[];
  isConfident: boolean;
}

async function findChunks(
  tx: Tx,
  sourceIds: readonly string[],
  question: string,
  { max = maxResults, languages = [], vector }: SearchOptions,
): Promise<SearchOutcome> {
  const noResults = { chunks: [], isConfident: false };
  if (sourceIds.length === 0) return noResults;
  const [{ query, byTokens }, vectorSources] = await Promise.all([
    readMatching(tx, sourceIds, question, languages),
    vector && readVectorSources(tx, sourceIds),
  ]);
  const knownConfigs = vector?.languages?.map(configOf);
  const isInLanguage = query.config === null || knownConfigs?.includes(query.config) !== false;
  const isComparable = vector && vectorSources && isInLanguage;
  if (rarestTerms(query.concepts).length === 0 && !isComparable) return noResults;
  const nearest = isComparable ? await findNearest(tx, vectorSources, vector, maxNearest) : [];
  const similarities = new Map(nearest.map((chunk) => [nameOf(chunk), chunk.similarity]));
  const found = new Set(byTokens.map(nameOf));
  const unread = nearest.filter((chunk) => !found.has(nameOf(chunk)));
  const others = await readChunks(tx, unread, lexemesOf(query));
  const ranked = fuse(matchesOf(query, [...byTokens, ...others]), (match) => similarities.get(nameOf(match.candidate)));
  const isConfident = isAnswer(query, ranked, vector?.confidentAt);
  return { chunks: ranked.slice(0, max).map(toSearchResult), isConfident };
}

/**
 * The question, and the chunks that its terms match. Three reads that depend on each other, sent together where they are
 * known from earlier questions (`predictions.ts`).
 */
async function readMatching(
  tx: Tx,
  sourceIds: readonly string[],
  text: string,
  languages: readonly string[],
): Promise<{ query: Question; byTokens: Candidate[] }> {
  const parsed = parseQuestion(text);
  const { tokens, spellings, expected } = parsed;
  if (tokens.length === 0) return { query: { concepts: [], total: 0, config: null, expected }, byTokens: [] };

  const predictions = predictionsFor(sourceIds);
  const predictedForms = predictions.forms(spellings);
  const predicted = predictedForms && (await lookUp(tx, parsed, predictedForms, languages));
  const predictedTokens = predicted && predictions.tokens(predicted.expansion.reads);
  const predictedQuery = predictedTokens && relate(predicted, predictedTokens);
  const [forms, sentTokens, sentCandidates] = await Promise.all([
    readForms(tx, sourceIds, spellings),
    predicted && readTokens(tx, sourceIds, predicted.expansion.reads),
    predictedQuery && candidatesOf(tx, sourceIds, predictedQuery),
  ]);
  predictions.learnForms(spellings, forms);
  const areForms = isDeepStrictEqual(forms, predictedForms);
  const lookedUp = predicted && areForms ? predicted : await lookUp(tx, parsed, forms, languages);
  const related = sentTokens && areForms ? sentTokens : await readTokens(tx, sourceIds, lookedUp.expansion.reads);
  predictions.learnTokens(lookedUp.expansion.reads, related);
  if (predictedQuery && sentCandidates && areForms && isDeepStrictEqual(related, predictedTokens))
    return { query: predictedQuery, byTokens: sentCandidates };
  const query = relate(lookedUp, related);
  return { query, byTokens: await candidatesOf(tx, sourceIds, query) };
}

const lexemesOf = ({ concepts }: Question) => [
  ...new Set(concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ lexemes }) => lexemes))),
];

async function candidatesOf(tx: Tx, sourceIds: readonly string[], query: Question): Promise<Candidate[]> {
  const terms = rarestTerms(query.concepts);
  if (terms.length === 0) return [];
  return readCandidates(tx, sourceIds, { terms, marked: lexemesOf(query), max: maxCandidates });
}

const nameOf = ({ documentId, place }: Pick<Candidate, 'documentId' | 'place'>) => `${documentId}/${place}`;

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

const toSearchResult = ({ candidate, tokens, score, similarity = 0 }: Match): SearchResult => ({
  documentId: candidate.documentId,
  place: candidate.place,
  sourceId: candidate.sourceId,
  title: candidate.title,
  url: /^https?:\/\//i.test(candidate.location) ? candidate.location : null,
  heading: candidate.heading,
  body: candidate.body,
  score: Math.max(score, similarity),
  matched: tokens,
});
