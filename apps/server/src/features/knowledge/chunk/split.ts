import type { Block } from './blocks.ts';
import { isTableRule } from './tokens.ts';

/** Characters of scripts without spaces between words. Two of them count as about one word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

/** Text counts as at least one word per this many characters, so that markup and long URLs count too. */
const charactersPerWord = 24;

export function countWords(text: string): number {
  const signs = text.match(unspaced)?.length ?? 0;
  const rest = signs > 0 ? text.replaceAll(unspaced, ' ') : text;
  const words = rest.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_-]*/gu)?.length ?? 0;
  return Math.max(words + Math.ceil(signs / 2), Math.floor(text.length / charactersPerWord));
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The block itself, or its parts if it has too many words: list items, table rows, lines or sentences. */
export function splitBlock(block: Block, maxWords: number): string[] {
  if (countWords(block.text) <= maxWords) return [block.text];
  switch (block.kind) {
    case 'list':
      return pack(block.text.split(/\n(?=(?:[-*+]|\d{1,4}[.)])\s)/), '\n', maxWords);
    case 'table':
      return rows(block.text, maxWords);
    case 'code':
      return code(block.text, maxWords);
    default:
      return pack(sentencesOf(block.text), ' ', maxWords);
  }
}

/** Packs as many parts together as fit. A single part that is too long is split between words. */
function pack(parts: readonly string[], between: string, maxWords: number): string[] {
  const packed: string[] = [];
  let [text, words] = ['', 0];
  for (const part of parts.flatMap((long) => splitWords(long, maxWords))) {
    const more = countWords(part);
    if (text && words + more > maxWords) {
      packed.push(text.trimEnd());
      [text, words] = ['', 0];
    }
    text += text ? between + part : part;
    words += more;
  }
  if (text.trim()) packed.push(text.trimEnd());
  return packed;
}

const sentencesOf = (text: string) =>
  Array.from(sentences.segment(text), ({ segment }) => segment.trim()).filter((sentence) => sentence !== '');

function splitWords(text: string, maxWords: number): string[] {
  if (countWords(text) <= maxWords) return [text];
  const pieces: string[] = [];
  let [rest, words] = ['', 0];
  // A long run without spaces is split after 200 characters.
  for (const [piece] of text.trimStart().matchAll(/\S{1,200}\s*/gu)) {
    const more = countWords(piece);
    if (rest && words + more > maxWords) {
      pieces.push(rest.trim());
      [rest, words] = ['', 0];
    }
    rest += piece;
    words += more;
  }
  return rest.trim() ? [...pieces, rest.trim()] : pieces;
}

/** Each part of a table repeats the header, so that its cells can be understood. */
function rows(table: string, maxWords: number): string[] {
  const lines = table.split('\n');
  const isHeaded = isTableRule(lines[1] ?? '') && countWords(lines.slice(0, 2).join('\n')) <= (maxWords * 3) / 4;
  const headed = isHeaded ? lines.slice(0, 2) : []; // otherwise the header would take up most of each part
  const head = headed.join('\n');
  const room = maxWords - countWords(head);
  return pack(lines.slice(headed.length), '\n', room).map((part) => (head ? `${head}\n${part}` : part));
}

function code(text: string, maxWords: number): string[] {
  const [first = '', ...lines] = text.split('\n');
  const opening = first.slice(0, 100);
  const mark = /[`~]{3,}/.exec(opening)?.[0] ?? '```';
  const inner = lines.at(-1)?.trim().startsWith(mark) ? lines.slice(0, -1) : lines;
  return pack(inner, '\n', maxWords).map((part) => `${opening}\n${part}\n${mark}`);
}
