import { onOneLine, toPlainText, tokensOf } from '../chunk/tokens.ts';

/** What is quoted whole or not at all: a sentence, a list, a table, a piece of code. */
export interface Unit {
  markdown: string;
  kind: 'sentence' | 'block';
  /** Which paragraph or block of the chunk it stands in. */
  block: number;
  tokens: number;
  /** Nothing without what follows it: "Do this:" */
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

/** Lines that belong together. A list goes on over empty lines when another item or an indented line follows. */
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
  const goesOn = (n: number, test: (line: string) => boolean): number => {
    let end = n;
    while (end < lines.length && test(lines[end] ?? '')) end++;
    return end;
  };
  if (fence.test(first)) return Math.min(lines.length, goesOn(start + 1, (line) => !fence.test(line)) + 1);
  if (isRow(first)) return goesOn(start, isRow);
  if (isQuote(first)) return goesOn(start, isQuote);
  if (!isItem(first))
    return goesOn(start, (line) => line.trim() !== '' && !isItem(line) && !isRow(line) && !fence.test(line));
  let end = start + 1;
  for (;;) {
    end = goesOn(end, (line) => line.trim() !== '');
    const next = goesOn(end, (line) => line.trim() === '');
    const after = lines[next] ?? '';
    if (next >= lines.length || !(isItem(after) || /^\s{2,}\S/.test(after))) return end;
    end = next + 1;
  }
}

/** Sentences, put together again where a full stop, a link or a mark of emphasis was cut through. */
function sentencesOf(paragraph: string, language: string): string[] {
  const pieces = [...segmenter(language).segment(onOneLine(paragraph))].map(({ segment }) => segment);
  const sentences: string[][] = [];
  let marks = noMarks;
  for (const piece of pieces) {
    const sentence = sentences.at(-1);
    const before = sentence?.at(-1)?.slice(-longestEnd) ?? '';
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
  const known = segmenters.get(language);
  if (known) return known;
  const made = new Intl.Segmenter(Intl.Segmenter.supportedLocalesOf([language]).length > 0 ? language : 'en', {
    granularity: 'sentence',
  });
  segmenters.set(language, made);
  return made;
}

/** What a sentence has opened and not closed so far. */
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

/** Within a link, brackets, code or emphasis. */
const isOpen = ({ brackets, parentheses, ticks, stars }: typeof noMarks, end: string): boolean =>
  brackets > 0 || parentheses > 0 || ticks % 2 === 1 || stars % 2 === 1 || end.endsWith(']');

/** As much of a sentence's end as its abbreviation may have. */
const longestEnd = 40;

/** "z. B.", "e.g.", "No.", "Dr.": a short token and a full stop, no end of a sentence. */
const endsInAbbreviation = (text: string): boolean =>
  /(?:^|[\s(])(?:\p{L}\.)+\s*$/u.test(text) ||
  /\b(?:bzw|ca|vgl|inkl|exkl|zzgl|abs|nr|art|str|tel|dr|mr|mrs|ms|st|no|vs|approx|incl|e\.g|i\.e|p\.ej|sr|sra|env|max|min|etc|usw|ggf|evtl|sog)\.\s*$/iu.test(
    text,
  );
