import { onOneLine, toPlainText, tokensOf } from '../chunk/tokens.ts';

/** The smallest unit that is quoted: a sentence, a list, a table or a code block. */
export interface Unit {
  markdown: string;
  kind: 'sentence' | 'block';
  /** Index of its paragraph or block in the chunk. */
  block: number;
  tokens: number;
  /** Introduces what follows ("Do this:") and is never quoted without it. */
  isLead: boolean;
}

export function unitsOf(body: string, language: string): Unit[] {
  return blocksOf(body).flatMap((block, n) => {
    if (block.kind === 'block') return [toUnit(block.text, 'block', n)];
    return sentencesOf(block.text, language).map((sentence) => toUnit(sentence, 'sentence', n));
  });
}

const toUnit = (markdown: string, kind: Unit['kind'], block: number): Unit => ({
  markdown,
  kind,
  block,
  tokens: tokensOf(toPlainText(markdown)).length,
  isLead: kind === 'sentence' && /:\**_*\s*$/.test(markdown),
});

interface Block {
  kind: 'paragraph' | 'block';
  text: string;
}

const isItem = (line: string) => /^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/.test(line);
const isRow = (line: string) => /^\s*\|/.test(line) || /^[^|]+\|[^|]+\|/.test(line);
const isQuote = (line: string) => /^\s*>/.test(line);
const fence = /^\s*(```|~~~)/;

/** Groups lines into blocks. A list continues over empty lines if another item or an indented line follows. */
function blocksOf(body: string): Block[] {
  const lines = body.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  for (let n = 0; n < lines.length;) {
    const line = lines[n] ?? '';
    if (line.trim() === '') {
      n++;
      continue;
    }
    const end = endOfBlock(lines, n);
    const isBlock = fence.test(line) || isItem(line) || isRow(line) || isQuote(line);
    blocks.push({ kind: isBlock ? 'block' : 'paragraph', text: lines.slice(n, end).join('\n').trimEnd() });
    n = end;
  }
  return blocks;
}

function endOfBlock(lines: readonly string[], start: number): number {
  const first = lines[start] ?? '';
  const skipWhile = (n: number, test: (line: string) => boolean): number => {
    let end = n;
    while (end < lines.length && test(lines[end] ?? '')) end++;
    return end;
  };
  if (fence.test(first)) return Math.min(lines.length, skipWhile(start + 1, (line) => !fence.test(line)) + 1);
  if (isRow(first)) return skipWhile(start, isRow);
  if (isQuote(first)) return skipWhile(start, isQuote);
  if (!isItem(first))
    return skipWhile(start, (line) => line.trim() !== '' && !isItem(line) && !isRow(line) && !fence.test(line));
  let end = start + 1;
  for (;;) {
    end = skipWhile(end, (line) => line.trim() !== '');
    const next = skipWhile(end, (line) => line.trim() === '');
    const after = lines[next] ?? '';
    if (next >= lines.length || !(isItem(after) || /^\s{2,}\S/.test(after))) return end;
    end = next + 1;
  }
}

/**
 * Splits a paragraph into sentences, and joins those that were split at an abbreviation, or inside a link or emphasis.
 */
function sentencesOf(paragraph: string, language: string): string[] {
  const pieces = [...segmenter(language).segment(onOneLine(paragraph))].map(({ segment }) => segment);
  const sentences: string[][] = [];
  let marks = noMarks;
  for (const piece of pieces) {
    const sentence = sentences.at(-1);
    const before = sentence?.at(-1)?.slice(-maxAbbreviation) ?? '';
    if (sentence && (isOpen(marks, before) || endsInAbbreviation(before) || /^\s*[\p{Ll}\p{N})]/u.test(piece)))
      sentence.push(piece);
    else {
      sentences.push([piece]);
      marks = noMarks;
    }
    marks = withMarks(marks, piece);
  }
  return sentences.map((parts) => parts.join('').trim()).filter((sentence) => sentence !== '');
}

const segmenters = new Map<string, Intl.Segmenter>();
function segmenter(language: string): Intl.Segmenter {
  const cached = segmenters.get(language);
  if (cached) return cached;
  const created = new Intl.Segmenter(Intl.Segmenter.supportedLocalesOf([language]).length > 0 ? language : 'en', {
    granularity: 'sentence',
  });
  segmenters.set(language, created);
  return created;
}

/** Markup that a sentence has opened and not closed. */
const noMarks = { brackets: 0, parentheses: 0, ticks: 0, stars: 0 };
function withMarks(marks: typeof noMarks, piece: string): typeof noMarks {
  const count = (pattern: RegExp) => piece.match(pattern)?.length ?? 0;
  return {
    brackets: marks.brackets + count(/\[/g) - count(/\]/g),
    parentheses: marks.parentheses + count(/\(/g) - count(/\)/g),
    ticks: marks.ticks + count(/`/g),
    stars: marks.stars + count(/\*\*/g),
  };
}

/** Whether the sentence ends inside a link, brackets, code or emphasis. */
const isOpen = ({ brackets, parentheses, ticks, stars }: typeof noMarks, end: string): boolean =>
  brackets > 0 || parentheses > 0 || ticks % 2 === 1 || stars % 2 === 1 || end.endsWith(']');

/** How many characters at the end of a sentence are checked for an abbreviation. */
const maxAbbreviation = 40;

/** "z. B.", "e.g.", "No.", "Dr.": an abbreviation, not the end of a sentence. */
const endsInAbbreviation = (text: string): boolean =>
  /(?:^|[\s(])(?:\p{L}\.)+\s*$/u.test(text) ||
  /\b(?:bzw|ca|vgl|inkl|exkl|zzgl|abs|nr|art|str|tel|dr|mr|mrs|ms|st|no|vs|approx|incl|e\.g|i\.e|p\.ej|sr|sra|env|max|min|etc|usw|ggf|evtl|sog)\.\s*$/iu.test(
    text,
  );
