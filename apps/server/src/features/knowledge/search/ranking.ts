import { headingsWithin } from '../chunk/tokens.ts';
import type { Alternative, Concept, Question } from './concepts.ts';
import type { Candidate } from './search.store.ts';

/** Tuned on the development questions of eval/. Only the resulting order matters, not the absolute values. */
const weightOfLabel: Record<string, number> = { A: 2.8, B: 1, C: 0.8, D: 1 }; // own heading, parent heading, part of a compound, text
const scoreShares = {
  tokens: 0.55,
  coverage: 0.33,
  heading: 0.5,
  nearness: 0.1,
  expected: 0.36,
  expectedHeading: 0.18,
};
/** The frequency at which a token counts half, and how strongly that depends on the length of the chunk. */
const saturation = { half: 2.3, length: 0.27 };
/** How much matches in other chunks of the document count, and matches in a parent heading. */
const [neighbourShare, parentHeadingShare] = [0.4, 0.3];
/** How much a heading loses for tokens that are not in the question. */
const headingPenalty = 0.6;
/** Factor for a chunk in another language than the question. */
const otherLanguageFactor = 0.7;
/** What similarity is worth compared with a score of tokens: on the development questions, 1 to 3 rank equally well. */
const similarityShare = 2;
/** Dampens rarity: rare tokens count more, but less than proportionally. */
const rarityPower = 0.7;

/** How well a chunk matches a question. */
export interface Match {
  candidate: Candidate;
  /** The share of the question that the chunk and its document cover, from 0 to 1. */
  coverage: number;
  /** How many concepts of the question match. */
  found: number;
  /** Their tokens, as asked. */
  tokens: string[];
  score: number;
  /** Cosine similarity to the question, up to 1, if there are vectors. */
  similarity?: number | undefined;
}

interface Hit {
  weight: number;
  frequency: number;
  inHeading: number;
  /** Positions in the text. */
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
  const weights = concepts.map(({ rarity }) => rarity ** rarityPower);
  const totalWeight = weights.reduce((sum, each) => sum + each, 0) || 1;
  const share = (value: (hit: Hit | undefined, n: number) => number) =>
    hits.reduce((total, hit, n) => total + (weights[n] ?? 0) * value(hit, n), 0) / totalWeight;
  const half = saturation.half * (1 - saturation.length + saturation.length * relativeLength);
  const tokens = share((hit) => (hit ? (hit.weight * hit.frequency) / (hit.frequency + half) : 0));
  const own = share((hit) => hit?.weight ?? 0);
  const coverage = share((hit, n) => Math.max(hit?.weight ?? 0, neighbourShare * (nearby[n] ?? 0)));
  const found = hits.filter((hit) => hit !== undefined);
  const named = found.filter(({ inHeading }) => inHeading >= 0.5).length;
  const headingUsed = candidate.headingLength > 0 ? Math.min(1, named / candidate.headingLength) : 0;
  const heading = share((hit) => hit?.inHeading ?? 0) * (1 - headingPenalty + headingPenalty * headingUsed);
  const headings = [candidate.heading.split(' › ').at(-1) ?? '', ...headingsWithin(candidate.body)].join('\n');
  const score =
    scoreShares.tokens * tokens +
    scoreShares.coverage * coverage * coverage +
    scoreShares.heading * heading +
    scoreShares.nearness * nearnessOf(found) * own +
    (expected.some(({ inText }) => inText.test(candidate.body)) ? scoreShares.expected * coverage : 0) +
    (expected.some(({ inHeading }) => inHeading.test(headings)) ? scoreShares.expectedHeading * coverage : 0);
  const fit = config === null || candidate.config === config ? 1 : otherLanguageFactor;
  const asWritten = concepts.filter((_concept, n) => hits[n] !== undefined).map(({ token }) => token);
  return { candidate, coverage, found: found.length, tokens: asWritten, score: fit * score };
}

/** The best-matching alternative of the concept in this chunk. */
function bestHit(concept: Concept, candidate: Candidate): Hit | undefined {
  let best: Hit | undefined;
  for (const alternative of concept.alternatives) {
    if (alternative.config !== null && alternative.config !== candidate.config) continue;
    const hit = hitOf(concept, alternative, candidate);
    if (hit && (!best || hit.weight * (1 + hit.frequency) > best.weight * (1 + best.frequency))) best = hit;
  }
  return best;
}

/** The maximum distance between the tokens of one expression. */
const expressionWidth = 8;

function hitOf(concept: Concept, { lexemes, weight, rarity }: Alternative, { marks }: Candidate): Hit | undefined {
  const found = lexemes.map((lexeme) => marks[lexeme]);
  const [first] = found;
  if (!first || found.includes(undefined)) return undefined;
  const occurrences = first[0].map((position, n) => ({ position, label: first[1][n] ?? 'D' }));
  const rest = found.slice(1).flatMap((mark) => (mark ? [mark[0]] : []));
  const together = occurrences.filter(({ position }) =>
    rest.every((positions) => positions.some((other) => Math.abs(other - position) <= expressionWidth)),
  );
  if (together.length === 0) return undefined;
  const has = (wanted: string) => together.some(({ label }) => label === wanted);
  const weighted = weight * Math.min(1, rarity / (concept.rarity || 1));
  return {
    weight: weighted,
    frequency: together.reduce((sum, { label }) => sum + (weightOfLabel[label] ?? 1), 0),
    inHeading: weighted * (has('A') ? 1 : has('B') ? parentHeadingShare : 0),
    positions: together.filter(({ label }) => label === 'D').map(({ position }) => position),
  };
}

/** 1 if all hits are adjacent, towards 0 the further apart they are. */
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

/** Ranks by tokens, and by similarity where there are vectors. A chunk that is not among the nearest is like the last of them. */
export function fuse(matches: readonly Match[], similarityOf: (match: Match) => number | undefined): Match[] {
  const withSimilarity = matches.map((match) => ({ ...match, similarity: similarityOf(match) }));
  const known = withSimilarity.flatMap(({ similarity }) => similarity ?? []);
  const lowest = known.length > 0 ? Math.min(...known) : 0;
  const rank = ({ score, similarity = lowest }: Match) => score + similarityShare * similarity;
  return withSimilarity.toSorted((a, b) => rank(b) - rank(a));
}

/** From this many chunks on, a missing token counts in full. */
const manyChunks = 200;

/**
 * Evidence that a chunk answers the question rather than sharing a token by chance. Tokens without any alternative in
 * the sources are a sign that the topic itself is missing. In a few chunks most tokens are missing by chance: if the
 * similarity is known too, they count less.
 */
function evidenceOf({ concepts, total }: Question, match: Match | undefined): number {
  if (!match) return 0;
  const sum = (among: readonly Concept[]) => among.reduce((total, { rarity }) => total + rarity, 0);
  const missing = sum(concepts.filter(({ alternatives }) => alternatives.length === 0)) / (sum(concepts) || 1);
  const isSmall = match.similarity !== undefined && total < manyChunks;
  const penalty = isSmall ? (0.7 * Math.log(1 + total)) / Math.log(1 + manyChunks) : 0.7;
  return match.coverage + match.score + 0.1 * match.found - penalty * missing;
}

/** Separates answerable from unanswerable questions among the development questions of eval/. */
const confidentEvidence = 0.72;
/**
 * Whether the best match answers the question. From a similarity of `confidentAt` on, no token has to match; below, the less
 * similar it is, the more of them.
 */
export function isAnswer(question: Question, [best]: readonly Match[], confidentAt?: number): boolean {
  const evidence = evidenceOf(question, best);
  if (confidentAt === undefined || best?.similarity === undefined) return evidence >= confidentEvidence;
  return evidence >= similarityShare * (confidentAt - best.similarity);
}
