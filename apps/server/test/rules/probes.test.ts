import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const all = Object.entries(probes);
const sumOf = (pattern: RegExp) =>
  all.filter(([, { name }]) => pattern.test(name)).reduce((sum, [, { min }]) => sum + min, 0);

test('the threat model lists the counts that the tests assert', () => {
  const lines = read('docs/threat-model.md').split('\n');
  const rows = all.map(([, { name, min, file }]) => `| ${name} | ${min.toLocaleString('en')} | \`${file}\` |`);
  const start = lines.indexOf('| class | at least | asserted in |') + 2;
  expect(lines.slice(start, start + rows.length + 1)).toEqual([...rows, '']);
});

test('each file exists and asserts its count', () => {
  const missing = all.filter(
    ([key, { file }]) => !existsSync(join(root, file)) || !read(file).includes(`(probes.${key}.min)`),
  );
  expect(missing.map(([key]) => key)).toEqual([]);
});

test('no class has fewer probes than the review had', () => {
  const review: [pattern: RegExp, count: number][] = [
    [/^tenant isolation/, 46],
    [/^origin patterns/, 42],
    [/^SSRF: URLs/, 34],
    [/^SSRF: headers/, 14],
    [/^OIDC: authorization/, 21],
    [/^CSRF/, 43],
    [/^path traversal/, 48],
    [/^injection/, 171],
    [/^file bombs/, 12],
  ];
  for (const [pattern, count] of review) expect(sumOf(pattern), String(pattern)).toBeGreaterThanOrEqual(count);
});
