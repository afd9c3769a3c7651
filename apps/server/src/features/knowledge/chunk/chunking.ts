import { split, type Block } from './blocks.ts';
import { fit, wordsIn } from './split.ts';
import type { Chunk } from './chunks.store.ts';

/** About how many words a chunk may have: enough to answer something, few enough to be quoted. */
const maxWords = 220;
/** A last part with fewer than this belongs to the one before. */
const fewWords = 40;
/** A section this short says too little alone. */
const tinyWords = 30;
const maxHeading = 500;

interface Section {
  /** The headings above, outermost first, its own last. */
  path: readonly string[];
  blocks: Block[];
}

interface Piece {
  path: readonly string[];
  body: string;
  words: number;
}

/**
 * Cuts a document where its headings do: a chunk is a section, or a part of a long one, and never reaches over a
 * heading, but for sections of a few words beside each other. Nothing is in two chunks.
 */
export function toChunks(markdown: string, title: string): Chunk[] {
  const pieces = sectionsOf(split(markdown), title).flatMap(piecesOf);
  return joinTiny(pieces).map(({ path, body }) => ({ heading: path.join(' › ').slice(0, maxHeading), body }));
}

function sectionsOf(blocks: readonly Block[], title: string): Section[] {
  const above: { level: number; text: string }[] = [];
  let section: Section = { path: [], blocks: [] };
  const sections = [section];
  for (const block of blocks) {
    if (block.kind !== 'heading') {
      section.blocks.push(block);
      continue;
    }
    while ((above.at(-1)?.level ?? 0) >= block.level) above.pop();
    above.push({ level: block.level, text: block.text });
    const path = above.map(({ text }) => text).filter((text, n) => n > 0 || !isSame(text, title));
    sections.push((section = { path, blocks: [] }));
  }
  return hasText(sections) ? sections : [outlineOf(sections)];
}

const isSame = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();
const hasText = (sections: readonly Section[]) => sections.some(({ blocks }) => blocks.length > 0);

/** Nothing but headings: then they are what it says. */
const outlineOf = (sections: readonly Section[]): Section => ({
  path: [],
  blocks: sections
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => ({ kind: 'text', text: `${'  '.repeat(path.length - 1)}- ${path.at(-1)}` })),
});

/** The parts of one section, each as long as fits. */
function piecesOf({ path, blocks }: Section): Piece[] {
  const pieces: Piece[] = [];
  for (const part of blocks.flatMap((block) => fit(block, maxWords))) {
    const words = wordsIn(part);
    const last = pieces.at(-1);
    if (last && last.words + words <= maxWords) {
      last.body += `\n\n${part}`;
      last.words += words;
    } else pieces.push({ path, body: part, words });
  }
  const [before, last] = pieces.slice(-2);
  if (before && last && last.words < fewWords) {
    before.body += `\n\n${last.body}`;
    before.words += last.words;
    pieces.pop();
  }
  return pieces;
}

/** Tiny sections beside each other become one, under the heading above them. A question stays with its own answer. */
function joinTiny(pieces: readonly Piece[]): Piece[] {
  const joined: (Piece & { isJoined?: boolean })[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const parent = piece.path.slice(0, -1);
    const lastParent = last?.isJoined ? last.path : last?.path.slice(0, -1);
    const isBeside = last && canJoin(piece) && (last.isJoined || canJoin(last)) && isSamePath(parent, lastParent ?? []);
    if (!isBeside || last.words + piece.words > maxWords) joined.push({ ...piece });
    else {
      last.body = `${last.isJoined ? last.body : underItsName(last)}\n\n${underItsName(piece)}`;
      last.words += piece.words;
      last.path = parent;
      last.isJoined = true;
    }
  }
  return joined;
}

const canJoin = ({ path, words }: Piece) =>
  path.length > 0 && words < tinyWords && !/[?？؟]\s*$/.test(path.at(-1) ?? '');
const underItsName = ({ path, body }: Piece) => `**${path.at(-1)}**\n\n${body}`;
const isSamePath = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((text, n) => text === other[n]);
