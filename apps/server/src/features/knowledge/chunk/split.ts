import type { Block } from './blocks.ts';
import { isTableRule } from './tokens.ts';

/** Signs of scripts that put no spaces between words: about two make one. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

/** A word counts for every so many characters at least: marks alone make no word, and an address is a long one. */
const charactersOfWord = 24;

export function wordsIn(text: string): number {
  const signs = text.match(unspaced)?.length ?? 0;
  const rest = signs > 0 ? text.replaceAll(unspaced, ' ') : text;
  const words = rest.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_-]*/gu)?.length ?? 0;
  return Math.max(words + Math.ceil(signs / 2), Math.floor(text.length / charactersOfWord));
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The block itself, or its parts where it has too many words: points, rows, lines or sentences. */
export function fit(block: Block, maxWords: number): string[] {
  if (wordsIn(block.text) <= maxWords) return [block.text];
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

/** As many together as fit. One that is too long by itself is cut between words. */
function pack(parts: readonly string[], between: string, maxWords: number): string[] {
  const packed: string[] = [];
  let [text, words] = ['', 0];
  for (const part of parts.flatMap((long) => cutWords(long, maxWords))) {
    const more = wordsIn(part);
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

function cutWords(text: string, maxWords: number): string[] {
  if (wordsIn(text) <= maxWords) return [text];
  const cut: string[] = [];
  let [rest, words] = ['', 0];
  // A run without spaces may be a whole text: then signs are counted.
  for (const [piece] of text.trimStart().matchAll(/\S{1,200}\s*/gu)) {
    const more = wordsIn(piece);
    if (rest && words + more > maxWords) {
      cut.push(rest.trim());
      [rest, words] = ['', 0];
    }
    rest += piece;
    words += more;
  }
  return rest.trim() ? [...cut, rest.trim()] : cut;
}

/** Each part of a table has its head again, or its cells would say nothing. */
function rows(table: string, maxWords: number): string[] {
  const lines = table.split('\n');
  const isHeaded = isTableRule(lines[1] ?? '') && wordsIn(lines.slice(0, 2).join('\n')) <= (maxWords * 3) / 4;
  const headed = isHeaded ? lines.slice(0, 2) : []; // else all of them would be head
  const head = headed.join('\n');
  const room = maxWords - wordsIn(head);
  return pack(lines.slice(headed.length), '\n', room).map((part) => (head ? `${head}\n${part}` : part));
}

function code(text: string, maxWords: number): string[] {
  const [first = '', ...lines] = text.split('\n');
  const opening = first.slice(0, 100);
  const mark = /[`~]{3,}/.exec(opening)?.[0] ?? '```';
  const inner = lines.at(-1)?.trim().startsWith(mark) ? lines.slice(0, -1) : lines;
  return pack(inner, '\n', maxWords).map((part) => `${opening}\n${part}\n${mark}`);
}
