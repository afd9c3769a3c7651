import type { Alternative, Concept, Question } from './search-question.ts';
import type { Candidate } from './search.store.ts';

/** What a word is worth by where it stands: own heading, headings above, part of a word, text. */
export const tuned = {
  A: 1.4, B: 1.4, C: 0.5, D: 1,
  saturation: 2.2, lengthShare: 0.35,
  words: 0.55, coverage: 0.36, heading: 0.55, nearness: 0.17, expected: 0.17, used: 0.4, above: 0.6,
  document: 0.35, foreign: 0.7, rarityPower: 1.4, unknown: 1,
};

/** How a passage meets a question, each from 0 to 1. */
export interface Match {
  candidate: Candidate;
  /** How much of what was asked it speaks of at all. */
  coverage: number;
  /** How much its heading is the question. */
  heading: number;
  score: number;
  features: number[];
}

interface Hit {
  weight: number;
  frequency: number;
  inHeading: number;
  /** In the text. */
  positions: number[];
}

export function matchesOf(question: Question, candidates: readonly Candidate[]): Match[] {
  const meanLength = candidates.reduce((sum, { length }) => sum + length, 0) / (candidates.length || 1);
  const hits = new Map(candidates.map((candidate) => [candidate, hitsOf(question, candidate)]));
  const byDocument = new Map<string, number[]>();
  for (const [{ documentId }, own] of hits) {
    const best = byDocument.get(documentId) ?? question.concepts.map(() => 0);
    byDocument.set(documentId, best.map((weight, n) => Math.max(weight, own[n]?.weight ?? 0)));
  }
  return candidates.map((candidate) =>
    matchOf(question, candidate, hits.get(candidate) ?? [], byDocument.get(candidate.documentId) ?? [], meanLength),
  );
}

const hitsOf = ({ concepts }: Question, candidate: Candidate) => concepts.map((concept) => bestHit(concept, candidate));

function matchOf(
  { concepts, config, expected }: Question,
  candidate: Candidate,
  hits: readonly (Hit | undefined)[],
  around: readonly number[],
  meanLength: number,
): Match {
  const t = tuned;
  const worths = concepts.map(({ rarity, alternatives }) => rarity ** t.rarityPower * (alternatives.length > 0 ? 1 : t.unknown));
  const asked = worths.reduce((sum, each) => sum + each, 0) || 1;
  const lengthening = t.saturation * (1 - t.lengthShare + t.lengthShare * (candidate.length / meanLength));
  const saturate = (frequency: number) => frequency / (frequency + lengthening);
  const sum = (value: (hit: Hit | undefined, n: number) => number) =>
    hits.reduce((total, hit, n) => total + (worths[n] ?? 0) * value(hit, n), 0) / asked;
  const words = sum((hit) => (hit ? hit.weight * saturate(hit.frequency) : 0));
  const coverage = sum((hit) => hit?.weight ?? 0);
  const smoothed = sum((hit, n) => Math.max(hit?.weight ?? 0, t.document * (around[n] ?? 0)));
  const inHeading = hits.filter((hit) => hit && hit.inHeading >= 0.5).length;
  const headingShare = sum((hit) => hit?.inHeading ?? 0);
  const headingUsed = candidate.headingLength > 0 ? Math.min(1, inHeading / candidate.headingLength) : 0;
  const heading = headingShare * (1 - t.used + t.used * headingUsed);
  const found = hits.filter((hit) => hit !== undefined);
  const nearness = nearnessOf(found) * coverage;
  const looksRight = expected.length > 0 && expected.some((pattern) => pattern.test(candidate.body)) ? coverage : 0;
  const fit = config === null || candidate.config === config ? 1 : t.foreign;
  const score =
    fit *
    (t.words * words + t.coverage * smoothed * smoothed + t.heading * heading + t.nearness * nearness + t.expected * looksRight);
  return { candidate, coverage, heading, score, features: [words, coverage, smoothed, heading, nearness, looksRight, found.length, concepts.length] };
}

/** The way of saying it that tells most of this passage. */
function bestHit(concept: Concept, candidate: Candidate): Hit | undefined {
  let best: Hit | undefined;
  for (const alternative of concept.alternatives) {
    if (alternative.config !== null && alternative.config !== candidate.config) continue;
    const hit = hitOf(concept, alternative, candidate);
    if (hit && (!best || hit.weight * (1 + hit.frequency) > best.weight * (1 + best.frequency))) best = hit;
  }
  return best;
}

/** How far apart the words of one expression may stand. */
const expressionWidth = 8;

function hitOf(concept: Concept, { lexemes, weight, rarity }: Alternative, { marks }: Candidate): Hit | undefined {
  const found = lexemes.map((lexeme) => marks[lexeme]);
  const [first] = found;
  if (!first || found.includes(undefined)) return undefined;
  const places = first[0].map((position, n) => ({ position, letter: first[1][n] ?? 'D' }));
  const rest = found.slice(1).flatMap((mark) => (mark ? [mark[0]] : []));
  const together = places.filter(({ position }) =>
    rest.every((positions) => positions.some((other) => Math.abs(other - position) <= expressionWidth)),
  );
  if (together.length === 0) return undefined;
  const has = (wanted: string) => together.some(({ letter }) => letter === wanted);
  const worth = weight * Math.min(1, rarity / (concept.rarity || 1));
  return {
    weight: worth,
    frequency: together.reduce((sum, { letter }) => sum + tuned[letter as 'A' | 'B' | 'C' | 'D'], 0),
    inHeading: worth * (has('A') ? 1 : has('B') ? tuned.above : 0),
    positions: together.filter(({ letter }) => letter === 'D').map(({ position }) => position),
  };
}

/** 1 when all that was found stands side by side, towards 0 when it is spread. */
function nearnessOf(hits: readonly Hit[]): number {
  const placed = hits.filter(({ positions }) => positions.length > 0);
  if (placed.length < 2) return placed.length === hits.length ? 0.5 : 0;
  let best = 0;
  for (const start of placed.flatMap(({ positions }) => positions)) {
    const distances = placed.map(({ positions }) => Math.min(...positions.map((each) => Math.abs(each - start))));
    best = Math.max(best, distances.reduce((sum, distance) => sum + 1 / (1 + distance / 6), 0) / placed.length);
  }
  return best;
}

/** One opinion about the order, best first. */
export interface Ranking {
  weight: number;
  matches: readonly Match[];
}

/**
 * Reciprocal rank fusion: opinions whose numbers cannot be compared (words, vectors) still agree on an order. A place
 * lower in a list counts less the lower it is; a list that does not have a passage says nothing of it.
 */
export function fuse(rankings: readonly Ranking[]): Match[] {
  const points = new Map<Candidate, { match: Match; sum: number }>();
  for (const { weight, matches } of rankings) {
    for (const [place, match] of matches.entries()) {
      const so = points.get(match.candidate) ?? { match, sum: 0 };
      points.set(match.candidate, { ...so, sum: so.sum + weight / (10 + place) });
    }
  }
  return [...points.values()].sort((a, b) => b.sum - a.sum).map(({ match }) => match);
}

/** Whether the best passage speaks of enough of what was asked to be an answer at all. */
export function isAnswer([best]: readonly Match[]): boolean {
  if (!best) return false;
  return best.coverage >= 0.4;
}
