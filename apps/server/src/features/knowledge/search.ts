import type { Tx } from '../../platform/db.ts';
import { fuse, isAnswer, matchesOf, type Match } from './search-ranking.ts';
import type { Concept } from './search-concepts.ts';
import { readQuestion } from './search-question.ts';
import { readCandidates } from './search.store.ts';

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
}

export interface SearchOptions {
  most?: number;
  /** What the asker is likely to write in, best first. */
  languages?: readonly string[];
}

const mostCandidates = 64;

/** The passages of these sources that meet a question, best first, and whether the best is good enough to answer with. */
export async function search(
  tx: Tx,
  sourceIds: readonly string[],
  question: string,
  { most = 5, languages = [] }: SearchOptions = {},
): Promise<{ passages: Found[]; isConfident: boolean }> {
  const nothing = { passages: [], isConfident: false };
  if (sourceIds.length === 0) return nothing;
  const asked = await readQuestion(tx, sourceIds, question, languages);
  const terms = rarestTerms(asked.concepts);
  if (terms.length === 0) return nothing;
  const marked = [
    ...new Set(asked.concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ lexemes }) => lexemes))),
  ];
  const candidates = await readCandidates(tx, sourceIds, { terms, marked, most: mostCandidates });
  const matches = matchesOf(asked, candidates);
  const ranked = fuse([{ weight: 1, matches: matches.toSorted((a, b) => b.score - a.score) }]);
  return { passages: ranked.slice(0, most).map(toFound), isConfident: isAnswer(asked, ranked) };
}

/** A word that every passage has finds everything: the rare ones choose, all are counted afterwards. */
function rarestTerms(concepts: readonly Concept[]): { lexeme: string; worth: number }[] {
  const terms = new Map<string, { lexeme: string; worth: number; passages: number }>();
  for (const { rarity, alternatives } of concepts) {
    for (const { lexemes, weight, passages } of alternatives) {
      for (const lexeme of lexemes) {
        const worth = Math.max(terms.get(lexeme)?.worth ?? 0, (rarity * weight) / lexemes.length);
        terms.set(lexeme, { lexeme, worth, passages });
      }
    }
  }
  const rarest = [...terms.values()].sort((a, b) => a.passages - b.passages);
  let passages = 0;
  return rarest.filter((term, n) => (passages += term.passages) <= 300 || n < 3).slice(0, 16);
}

const toFound = ({ candidate, score }: Match): Found => ({
  documentId: candidate.documentId,
  place: candidate.place,
  sourceId: candidate.sourceId,
  title: candidate.title,
  url: /^https?:\/\//i.test(candidate.location) ? candidate.location : null,
  heading: candidate.heading,
  body: candidate.body,
  score,
});
