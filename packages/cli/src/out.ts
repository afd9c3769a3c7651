import { styleText } from 'node:util';
import type { Trouble } from './exit-codes.ts';

type Style = Parameters<typeof styleText>[0];
/** Coloured where a person looks, plain in a pipe. */
export const paint = (style: Style, text: string): string => styleText(style, text);

export interface Out {
  isJson: boolean;
  /** The result: one line of JSON for machines, or words for a person. */
  answer(value: unknown, words: string): void;
  /** Beside the result, for a person only: never in the way of a pipe. */
  note(words: string): void;
}

export const createOut = (isJson: boolean): Out => ({
  isJson,
  answer: (value, words) => void process.stdout.write(`${isJson ? JSON.stringify(value) : words}\n`),
  note: (words) => void (isJson || process.stderr.write(`${words}\n`)),
});

export function tell(trouble: Trouble, isJson: boolean): void {
  if (isJson) {
    process.stderr.write(`${JSON.stringify({ error: trouble })}\n`);
    return;
  }
  const { message, reason, details = [], next, requestId } = trouble;
  const lines = [
    `${styleText('red', '✗', { stream: process.stderr })} ${message}`,
    ...details.map(({ path, message: why }) => `  ${path}: ${why}`),
    next && `  ${next}`,
    requestId && styleText('dim', `  ${reason}, request ${requestId}`, { stream: process.stderr }),
  ];
  process.stderr.write(`${lines.filter(Boolean).join('\n')}\n`);
}

/** Columns as wide as what stands in them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, n) => Math.max(title.length, ...rows.map((row) => (row[n] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, n) => (n === cells.length - 1 ? cell : cell.padEnd(widths[n] ?? 0))).join('  ');
  return [paint('dim', line(head)), ...rows.map(line)].join('\n');
}

/** Names and what they are, one a line. */
export function fields(pairs: Record<string, string | number | boolean | null | undefined>): string {
  const shown = Object.entries(pairs).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`).join('\n');
}

/** Somebody is at both ends: they can be asked. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;
