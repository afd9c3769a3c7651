import TurndownService from 'turndown';
import { onOneLine } from '../../chunk/tokens.ts';

interface Cell {
  nodeName: string;
  parentNode: Cell | null;
  childNodes: ArrayLike<Cell>;
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
  hr: '---',
});

/** Images are replaced by their alternative text. */
turndown.addRule('pictures', {
  filter: ['img', 'picture', 'figure'],
  replacement: (content, node) =>
    node.nodeName === 'IMG' ? ((node as unknown as Element).getAttribute('alt') ?? '') : `\n\n${content}\n\n`,
});

/** External links are kept. Links within the page do not work once it is split into chunks. */
turndown.addRule('local links', {
  filter: (node) =>
    node.nodeName === 'A' && !/^(https?|mailto|tel):/i.test((node as unknown as Element).getAttribute('href') ?? ''),
  replacement: (content) => content,
});

turndown.addRule('cells', {
  filter: ['th', 'td'],
  replacement: (content) => ` ${onOneLine(content).replaceAll('|', '\\|')} |`,
});
turndown.addRule('rows', {
  filter: 'tr',
  replacement: (content, node) => {
    const row = `|${content}\n`;
    if (!isFirstRow(node)) return row;
    const cells = Array.from((node as unknown as Cell).childNodes).filter(({ nodeName }) => /^T[HD]$/.test(nodeName));
    return `${row}|${' --- |'.repeat(Math.max(1, cells.length))}\n`;
  },
});
turndown.addRule('parts of tables', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
turndown.addRule('tables', {
  filter: 'table',
  // One row per line: whitespace between rows would end the table.
  replacement: (content) => `\n\n${content.replaceAll(/\n\s*\n/g, '\n').trim()}\n\n`,
});

interface Element {
  getAttribute(name: string): string | null;
}

function isFirstRow(row: Cell): boolean {
  const table = row.parentNode?.nodeName === 'TABLE' ? row.parentNode : row.parentNode?.parentNode;
  const rows = Array.from(table?.childNodes ?? []).flatMap((child) =>
    child.nodeName === 'TR' ? [child] : Array.from(child.childNodes).filter(({ nodeName }) => nodeName === 'TR'),
  );
  return rows[0] === row;
}

export const toMarkdown = (node: unknown): string =>
  tidy(turndown.turndown(node as Parameters<typeof turndown.turndown>[0])).replaceAll(/^( *(?:-|\d+\.)) {2,}/gm, '$1 ');

/** At most one empty line between blocks, none at the ends, no trailing spaces. */
export const tidy = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
