import { splitBlocks, type Block } from './blocks.ts';
import { splitBlock, countWords } from './split.ts';
import type { Chunk } from './chunks.store.ts';

/** Approximate maximum size of a chunk: long enough to answer a question, short enough to quote. */
const maxWords = 220;
/** A last piece with fewer words is merged into the previous one. */
const fewWords = 40;
/** Sections with fewer words are merged with their neighbours. */
const tinyWords = 30;
const maxHeading = 500;

interface Section {
  /** The headings from the outermost to its own. */
  path: readonly string[];
  blocks: Block[];
}

interface Piece {
  path: readonly string[];
  body: string;
  words: number;
}

/**
 * Splits a document at its headings: a chunk is a section, or a part of a long one. It never spans a heading, except
 * when adjacent tiny sections are merged. Chunks do not overlap.
 */
export function toChunks(markdown: string, title: string): Chunk[] {
  const pieces = sectionsOf(splitBlocks(markdown), title).flatMap(piecesOf);
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

/** For a document that has only headings, the outline is its content. */
const outlineOf = (sections: readonly Section[]): Section => ({
  path: [],
  blocks: sections
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => ({ kind: 'text', text: `${'  '.repeat(path.length - 1)}- ${path.at(-1)}` })),
});

/** Splits a section into pieces of at most `maxWords`. */
function piecesOf({ path, blocks }: Section): Piece[] {
  const pieces: Piece[] = [];
  for (const part of blocks.flatMap((block) => splitBlock(block, maxWords))) {
    const words = countWords(part);
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

/** Merges adjacent tiny sections under their parent heading. A question stays with its own answer. */
function joinTiny(pieces: readonly Piece[]): Piece[] {
  const joined: (Piece & { isJoined?: boolean })[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const parent = piece.path.slice(0, -1);
    const lastParent = last?.isJoined ? last.path : last?.path.slice(0, -1);
    const canMerge = last && canJoin(piece) && (last.isJoined || canJoin(last)) && isSamePath(parent, lastParent ?? []);
    if (!canMerge || last.words + piece.words > maxWords) joined.push({ ...piece });
    else {
      last.body = `${last.isJoined ? last.body : withBoldHeading(last)}\n\n${withBoldHeading(piece)}`;
      last.words += piece.words;
      last.path = parent;
      last.isJoined = true;
    }
  }
  return joined;
}

const canJoin = ({ path, words }: Piece) =>
  path.length > 0 && words < tinyWords && !/[?？؟]\s*$/.test(path.at(-1) ?? '');
const withBoldHeading = ({ path, body }: Piece) => `**${path.at(-1)}**\n\n${body}`;
const isSamePath = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((text, n) => text === other[n]);
