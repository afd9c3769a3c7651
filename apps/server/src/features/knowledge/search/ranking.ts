import { headingsWithin } from '../chunk/tokens.ts';
import type { Alternative, Concept, Question } from './concepts.ts';
import type { Candidate } from './search.store.ts';

/** Found by trying on the development questions of eval/; the order that they give is what matters, not their size. */
const letters: Record<string, number> = { A: 2.8, B: 1, C: 0.8, D: 1 }; // own heading, above it, part of a token, text
const shares = { tokens: 0.55, coverage: 0.33, heading: 0.5, nearness: 0.1, expected: 0.36, headed: 0.18 };
/** How often a token must stand there to count half, and how much of that is due to a long chunk. */
const saturation = { half: 2.3, length: 0.27 };
/** What the chunks around it say counts for a chunk too, and a heading above for its own heading. */
const [around, above] = [0.4, 0.3];
/** How much a heading loses by tokens that nobody asked for. */
const headingDiscipline = 0.6;
/** A chunk in another language than the question. */
const foreign = 0.7;
/** Rare tokens count more, but not as much more as they are rarer: questions are full of chance. */
const rarityPower = 0.7;

/** How a chunk meets a question. */
export interface Match {
  candidate: Candidate;
  /** How much of what was asked it and its document speak of, from 0 to 1. */
  coverage: number;
  /** How many of the tokens that tell something. */
  found: number;
  /** Which of them, as they were asked. */
  tokens: string[];
  score: number;
  /** How near its meaning is to the question's, up to 1, where vectors tell. */
  similarity?: number | undefined;
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
  const hits = candidates.map((candidate) => question.concepts.map((concept) => bestHit(concept, candidate)));
  const inDocument = new Map<string, number[]>();
  for (const [n, { documentId }] of candidates.entries()) {
    const best = inDocument.get(documentId) ?? [];
    const own = hits[n] ?? [];
    inDocument.set(
      documentId,
      own.map((hit, m) => Math.max(best[m] ?? 0, hit?.weight ?? 0)),
    );
  }
  return candidates.map((candidate, n) =>
    matchOf(question, candidate, {
      hits: hits[n] ?? [],
      nearby: inDocument.get(candidate.documentId) ?? [],
      relativeLength: candidate.length / meanLength,
    }),
  );
}

function matchOf(
  { concepts, config, expected }: Question,
  candidate: Candidate,
  { hits, nearby, relativeLength }: { hits: (Hit | undefined)[]; nearby: number[]; relativeLength: number },
): Match {
  const worths = concepts.map(({ rarity }) => rarity ** rarityPower);
  const asked = worths.reduce((sum, each) => sum + each, 0) || 1;
  const share = (value: (hit: Hit | undefined, n: number) => number) =>
    hits.reduce((total, hit, n) => total + (worths[n] ?? 0) * value(hit, n), 0) / asked;
  const half = saturation.half * (1 - saturation.length + saturation.length * relativeLength);
  const tokens = share((hit) => (hit ? (hit.weight * hit.frequency) / (hit.frequency + half) : 0));
  const own = share((hit) => hit?.weight ?? 0);
  const coverage = share((hit, n) => Math.max(hit?.weight ?? 0, around * (nearby[n] ?? 0)));
  const found = hits.filter((hit) => hit !== undefined);
  const named = found.filter(({ inHeading }) => inHeading >= 0.5).length;
  const headingUsed = candidate.headingLength > 0 ? Math.min(1, named / candidate.headingLength) : 0;
  const heading = share((hit) => hit?.inHeading ?? 0) * (1 - headingDiscipline + headingDiscipline * headingUsed);
  const headings = [candidate.heading.split(' › ').at(-1) ?? '', ...headingsWithin(candidate.body)].join('\n');
  const score =
    shares.tokens * tokens +
    shares.coverage * coverage * coverage +
    shares.heading * heading +
    shares.nearness * nearnessOf(found) * own +
    (expected.some(({ given }) => given.test(candidate.body)) ? shares.expected * coverage : 0) +
    (expected.some(({ headed }) => headed.test(headings)) ? shares.headed * coverage : 0);
  const fit = config === null || candidate.config === config ? 1 : foreign;
  const asWritten = concepts.filter((_concept, n) => hits[n] !== undefined).map(({ token }) => token);
  return { candidate, coverage, found: found.length, tokens: asWritten, score: fit * score };
}

/** The way of saying it that tells most of this chunk. */
function bestHit(concept: Concept, candidate: Candidate): Hit | undefined {
  let best: Hit | undefined;
  for (const alternative of concept.alternatives) {
    if (alternative.config !== null && alternative.config !== candidate.config) continue;
    const hit = hitOf(concept, alternative, candidate);
    if (hit && (!best || hit.weight * (1 + hit.frequency) > best.weight * (1 + best.frequency))) best = hit;
  }
  return best;
}

/** How far apart the tokens of one expression may stand. */
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
    frequency: together.reduce((sum, { letter }) => sum + (letters[letter] ?? 1), 0),
    inHeading: worth * (has('A') ? 1 : has('B') ? above : 0),
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
 * Reciprocal rank fusion: opinions whose numbers cannot be compared (tokens, vectors) still agree on an order. A place
 * lower in a list counts less the lower it is; a list that does not have a chunk says nothing of it.
 */
export function fuse(rankings: readonly Ranking[]): Match[] {
  const points = new Map<string, { match: Match; sum: number }>();
  for (const { weight, matches } of rankings) {
    for (const [place, match] of matches.entries()) {
      const name = `${match.candidate.documentId}/${match.candidate.place}`;
      const so = points.get(name) ?? { match, sum: 0 };
      points.set(name, { match: { ...match, ...so.match }, sum: so.sum + weight / (10 + place) });
    }
  }
  return [...points.values()].sort((a, b) => b.sum - a.sum).map(({ match }) => match);
}

/**
 * How much speaks for a chunk being the answer, rather than only happening to have a token of the question. Words that
 * no chunk has, in no form and by no other name, are a sign that the matter itself is missing.
 */
function evidenceOf({ concepts }: Question, match: Match | undefined): number {
  if (!match) return 0;
  const sum = (among: readonly Concept[]) => among.reduce((total, { rarity }) => total + rarity, 0);
  const missing = sum(concepts.filter(({ alternatives }) => alternatives.length === 0)) / (sum(concepts) || 1);
  return match.coverage + match.score + 0.1 * match.found - 0.7 * missing;
}

/** Where questions with an answer and questions without part, among the development questions of eval/. */
const enough = 0.72;
/** From here on the tokens alone are right nearly always. */
const clear = 1.2;

/** Whether a chunk is the answer by its tokens. */
export const isAnswer = (question: Question, [best]: readonly Match[]): boolean => evidenceOf(question, best) >= enough;

/** What the vectors' opinion counts beside that of the tokens: the less these have to say, the more. */
export function voiceOfVectors(question: Question, [best]: readonly Match[]): number {
  const evidence = evidenceOf(question, best);
  return evidence >= clear ? 0.1 : evidence >= enough ? 0.5 : 2;
}
