import { getDocumentProxy } from 'unpdf';
import { Unreadable } from '../problems.ts';
import { firstHeading } from './html.ts';
import { limits } from './limits.ts';

interface Line {
  text: string;
  size: number;
  y: number;
}

/**
 * A PDF has positions and font sizes, not paragraphs: a larger line becomes a heading, a wider gap starts a paragraph.
 */
export async function readPdf(bytes: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false }).catch(
    (error: Error) => {
      throw new Unreadable(error.name === 'PasswordException' ? 'password_protected' : 'corrupted', error);
    },
  );
  if (pdf.numPages > limits.pages) throw new Unreadable('too_large');
  const pages: Line[][] = [];
  let room = limits.characters;
  for (let number = 1; number <= pdf.numPages; number++) {
    const lines = await linesOf(pdf, number);
    room -= lines.reduce((sum, { text }) => sum + text.length, 0);
    if (room < 0) throw new Unreadable('too_large');
    pages.push(lines);
  }
  const markdown = toMarkdown(pages);
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const title = (info as { Title?: unknown }).Title;
  const named = typeof title === 'string' ? title.trim().slice(0, 300) : '';
  const isFileName = /\.\w{2,5}$|^untitled|^microsoft word/i.test(named); // default titles of word processors
  return { title: (!isFileName && named) || firstHeading(markdown), markdown };
}

async function linesOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>, number: number): Promise<Line[]> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const lines: Line[] = [];
  let current: Line | undefined;
  for (const item of items) {
    if (!('str' in item)) continue;
    const y = Number(item.transform[5] ?? 0);
    const isSameLine = current && Math.abs(current.y - y) < Math.max(1, item.height || current.size) / 2;
    if (!current || !isSameLine) lines.push((current = { text: '', size: 0, y }));
    current.text += item.str;
    current.size = Math.max(current.size, item.height);
    if (item.hasEOL) current = undefined;
  }
  page.cleanup();
  return lines.map((line) => ({ ...line, text: line.text.replaceAll(/\s+/g, ' ').trim() })).filter(({ text }) => text);
}

function toMarkdown(pages: readonly Line[][]): string {
  const usual = usualSize(pages.flat());
  const parts: string[] = [];
  for (const lines of pages) {
    let above: Line | undefined;
    for (const line of lines) {
      const isHeading = line.size >= usual * 1.15 && line.text.length <= 120 && /\p{L}/u.test(line.text);
      const isNew =
        !above || isHeading || above.size >= usual * 1.15 || above.y - line.y > usual * 1.9 || above.y < line.y;
      if (isHeading) parts.push(`${line.size >= usual * 1.6 ? '#' : '##'} ${line.text}`);
      else if (isNew) parts.push(line.text.replace(/^(#+\s)/, '\\$1'));
      else parts.push(joined(parts.pop() ?? '', line.text));
      above = line;
    }
  }
  return parts.join('\n\n');
}

/** Joins two lines. A hyphenated word becomes one word; a list item keeps its own line. */
function joined(text: string, next: string): string {
  if (/^([•▪–*-]|\d{1,3}[.)])\s/.test(next)) return `${text}\n${next.replace(/^[•▪–*]\s/, '- ')}`;
  return /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : `${text} ${next}`;
}

/** The font size of most of the text. */
function usualSize(lines: readonly Line[]): number {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) lengths.set(size, (lengths.get(size) ?? 0) + text.length);
  return [...lengths].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? 0;
}
