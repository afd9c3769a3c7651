import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { check } from 'recheck';
import { isFull } from './testing/size.ts';

// Every regular expression of the product takes time that grows with its text, not with the square of it: the texts of
// tenants and visitors run through them in processes that all share. To find that out takes a minute, so what was found is
// kept in linear-regexes.json: `npm run check:regexes -- --write` looks at what is new, TEST_SIZE=full at all of them.

const files = globSync('{apps/server/src,apps/portal/app,apps/admin/app,packages/*/src}/**/*.{ts,tsx}').filter(
  (path) => !/\.test\.tsx?$/.test(path),
);

interface Literal {
  at: string;
  pattern: string;
  flags: string;
}

function literalsIn(path: string): Literal[] {
  const text = readFileSync(path, 'utf8');
  const found: Literal[] = [];
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number };
    if (regex) found.push({ at: `${path}:${text.slice(0, start).split('\n').length}`, ...regex });
    Object.values(node).forEach(visit);
  };
  visit(parseSync(path, text).program);
  return found;
}

async function problemOf({ pattern, flags }: Literal): Promise<string | null> {
  const verdict = await check(pattern, flags, { timeout: 30_000 });
  if (verdict.status === 'safe') return null;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary} for ${verdict.attack.pattern}`
    : `not understood (${verdict.error.kind})`;
}

const list = new URL('linear-regexes.json', import.meta.url);
const isToWrite = process.argv.includes('--write');
const known = new Set(JSON.parse(readFileSync(list, 'utf8')) as string[]);
const found = Map.groupBy(files.flatMap(literalsIn), ({ pattern, flags }) => `/${pattern}/${flags}`);
const wrong: string[] = [];
for (const [regex, places] of found) {
  if (known.has(regex) && !isFull) continue;
  const problem = places[0] && (await problemOf(places[0]));
  const next = problem ?? (isToWrite || isFull ? null : 'new: run npm run check:regexes -- --write');
  if (next !== null) wrong.push(`${places.map(({ at }) => at).join(', ')}: ${regex} is ${next}`);
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
} else if (isToWrite) writeFileSync(list, `${JSON.stringify([...found.keys()].toSorted(), null, 2)}\n`);
