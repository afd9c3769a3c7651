import { isTableRule } from './tokens.ts';

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'text' | 'list' | 'table' | 'code'; text: string };

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})[ \t](.*)/;
const maxHeading = 300;
const listItem = /^\s*(?:[-*+]|\d{1,4}[.)])\s+/;

/** Splits Markdown into headings and the blocks under them, line by line. Lines in code blocks are not headings. */
export function splitBlocks(markdown: string): Block[] {
  const lines = markdown.replaceAll(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let open: string[] = [];
  const close = () => {
    const text = open.join('\n').trimEnd();
    if (text.trim()) blocks.push(toBlock(text));
    open = [];
  };
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] ?? '';
    const fenced = fence.exec(line)?.[1];
    const headed = heading.exec(line);
    const level = open.length === 1 ? underlineLevel(line, open[0] ?? '') : 0;
    if (fenced !== undefined) {
      close();
      const last = endOf(lines, n, fenced);
      blocks.push({ kind: 'code', text: lines.slice(n, last + 1).join('\n') });
      n = last;
    } else if (headed) {
      close();
      blocks.push({
        kind: 'heading',
        level: headed[1]?.length ?? 1,
        text: plain(withoutClosing(headed[2] ?? '')),
      });
    } else if (level > 0) {
      blocks.push({ kind: 'heading', level, text: plain(open[0] ?? '') });
      open = [];
    } else if (line.trim()) open.push(line);
    else if (!continuesList(open, lines[n + 1] ?? '')) close();
    else open.push('');
  }
  close();
  return blocks.filter((block) => block.kind !== 'heading' || block.text);
}

/** `## Heading ##` may have closing marks. */
const withoutClosing = (text: string) => text.trimEnd().replace(/(?<![^ \t])#+$/, '');

/** An unclosed code block extends to the end. */
function endOf(lines: readonly string[], from: number, opening: string): number {
  for (let n = from + 1; n < lines.length; n++) if (isEnd(lines[n] ?? '', opening)) return n;
  return lines.length - 1;
}

const isEnd = (line: string, opening: string) => {
  const mark = fence.exec(line)?.[1];
  return mark !== undefined && mark.startsWith(opening) && line.trim() === mark;
};

/** A line of = or - under a line of text makes it a heading (setext). */
function underlineLevel(line: string, above: string): number {
  if (listItem.test(above) || above.includes('|')) return 0;
  if (/^ {0,3}=+[ \t]*$/.test(line)) return 1;
  return /^ {0,3}-{2,}[ \t]*$/.test(line) ? 2 : 0;
}

/** A list continues after an empty line if another item or an indented line follows. */
const continuesList = ([first = '']: readonly string[], next: string) =>
  listItem.test(first) && (listItem.test(next) || /^\s{2,}\S/.test(next));

function toBlock(text: string): Block {
  const [first = '', second = ''] = text.split('\n', 2);
  if (first.trimStart().startsWith('|') || isTableRule(second)) return { kind: 'table', text };
  return { kind: listItem.test(text) ? 'list' : 'text', text };
}

/** The text of a heading without markup. */
const plain = (text: string) =>
  text
    .slice(0, maxHeading)
    .replaceAll(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/[*_`]{1,3}([^*_`]+)[*_`]{1,3}/g, '$1')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('›', '>')
    .replaceAll(/\s+/g, ' ')
    .trim();
