import type { Alternative, Concept, Question } from './search-question.ts';
import type { Candidate } from './search.store.ts';

/** What a word is worth by where it stands: own heading, headings above, part of a word, text. */
const worthOf: Record<string, number> = { A: 2.6, B: 0.9, C: 0.6, D: 1 };

/** How a passage meets a question, each from 0 to 1. */
export interface Match {
  candidate: Candidate;
  /** How much of what was asked it speaks of, and how much of it. */
  words: number;
  /** How much of what was asked it speaks of at all. */
  coverage: number;
  /** How much its heading is the question. */
  heading: number;
  /** How close together it says it. */
  nearness: number;
  /** All of these. */
  score: number;
}

interface Hit {
  concept: Concept;
  weight: number;
  frequency: number;
  inHeading: number;
  /** In the text. */
  positions: number[];
}

export function matchesOf(question: Question, candidates: readonly Candidate[]): Match[] {
  const meanLength = candidates.reduce((sum, { length }) => sum + length, 0) / (candidates.length || 1);
  return candidates.map((candidate) => matchOf(question, candidate, meanLength));
}

function matchOf({ concepts, config }: Question, candidate: Candidate, meanLength: number): Match {
  const hits = concepts.flatMap((concept) => bestHit(concept, candidate) ?? []);
  const asked = concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const lengthening = 1.2 * (0.6 + 0.4 * (candidate.length / meanLength));
  const saturate = (frequency: number) => frequency / (frequency + lengthening);
  const sum = (value: (hit: Hit) => number) => hits.reduce((total, hit) => total + hit.concept.rarity * value(hit), 0);
  const words = sum(({ weight, frequency }) => weight * saturate(frequency)) / asked;
  const coverage = sum(({ weight }) => weight) / asked;
  const inHeading = hits.filter((hit) => hit.inHeading > 0).length;
  const headingShare = sum((hit) => hit.inHeading) / asked;
  const headingUsed = candidate.headingLength > 0 ? Math.min(1, inHeading / candidate.headingLength) : 0;
  const heading = headingShare * (0.5 + 0.5 * headingUsed);
  const nearness = nearnessOf(hits) * coverage;
  const fit = config === null || candidate.config === config ? 1 : 0.7;
  const score = fit * (0.55 * words + 0.25 * coverage * coverage + 0.25 * heading + 0.08 * nearness);
  return { candidate, words, coverage, heading, nearness, score };
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

function hitOf(concept: Concept, { lexemes, weight }: Alternative, { marks }: Candidate): Hit | undefined {
  const found = lexemes.map((lexeme) => marks[lexeme]);
  const [first] = found;
  if (!first || found.includes(undefined)) return undefined;
  const places = first[0].map((position, n) => ({ position, letter: first[1][n] ?? 'D' }));
  const rest = found.slice(1).flatMap((mark) => (mark ? [mark[0]] : []));
  const together = places.filter(({ position }) =>
    rest.every((positions) => positions.some((other) => Math.abs(other - position) <= 4)),
  );
  if (together.length === 0) return undefined;
  return {
    concept,
    weight,
    frequency: together.reduce((sum, { letter }) => sum + (worthOf[letter] ?? 1), 0),
    inHeading: together.some(({ letter }) => letter === 'A') ? weight : 0,
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
  return best.coverage >= 0.5;
}
