import { styleText } from 'node:util';
import type { ErrorReport } from './exit-codes.ts';

type Style = Parameters<typeof styleText>[0];
/** Coloured in a terminal, plain in a pipe. */
export const paint = (style: Style, text: string): string => styleText(style, text);

export interface Out {
  isJson: boolean;
  /** The result: one line of JSON with --json, otherwise text. */
  result(value: unknown, text: string): void;
  /** A message for people on stderr: never mixed into piped output. */
  note(text: string): void;
}

export const createOut = (isJson: boolean): Out => ({
  isJson,
  result: (value, text) => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`),
  note: (text) => void (isJson || process.stderr.write(`${text}\n`)),
});

export function printError(report: ErrorReport, isJson: boolean): void {
  if (isJson) {
    process.stderr.write(`${JSON.stringify({ error: report })}\n`);
    return;
  }
  const { message, reason, details = [], next, requestId } = report;
  const lines = [
    `${styleText('red', '✗', { stream: process.stderr })} ${message}`,
    ...details.map(({ path, message: detail }) => `  ${path}: ${detail}`),
    next && `  ${next}`,
    requestId && styleText('dim', `  ${reason}, request ${requestId}`, { stream: process.stderr }),
  ];
  process.stderr.write(`${lines.filter(Boolean).join('\n')}\n`);
}

/** Columns as wide as their content. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, n) => Math.max(title.length, ...rows.map((row) => (row[n] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, n) => (n === cells.length - 1 ? cell : cell.padEnd(widths[n] ?? 0))).join('  ');
  return [paint('dim', line(head)), ...rows.map(line)].join('\n');
}

/** Names and values, one per line. */
export function fields(pairs: Record<string, string | number | boolean | null | undefined>): string {
  const shown = Object.entries(pairs).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`).join('\n');
}

/** A terminal on both ends: the person can be prompted. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;
