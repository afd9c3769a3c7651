import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { check } from 'recheck';
import { patternsIn, type Pattern } from './regex-patterns.ts';
import { isFull } from './testing/size.ts';

// Every regular expression of the product takes time that grows with its text, not with the square of it: the texts of
// tenants and visitors run through them in processes that all share. To find that out takes a minute, so what was found is
// kept in linear-regexes.json: `npm run check:regexes -- --write` looks at what is new, TEST_SIZE=full at all of them.

const files = globSync('{apps/server/src,apps/{portal,admin}/{app,src},packages/*/src}/**/*.{ts,tsx}').filter(
  (path) => !/\.test\.tsx?$/.test(path),
);

async function problemOf({ pattern, flags }: Pattern): Promise<string | null> {
  const verdict = await check(pattern, flags, { timeout: 30_000 });
  if (verdict.status === 'safe') return null;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary} for ${verdict.attack.pattern}`
    : `not understood (${verdict.error.kind})`;
}

const list = new URL('linear-regexes.json', import.meta.url);
const isToWrite = process.argv.includes('--write');
const known = new Set(JSON.parse(readFileSync(list, 'utf8')) as string[]);
const read = files.map((path) => patternsIn(path, readFileSync(path, 'utf8')));
const found = Map.groupBy(
  read.flatMap((file) => file.found),
  ({ pattern, flags }) => `/${pattern}/${flags}`,
);
const wrong = read
  .flatMap(({ unknown }) => unknown)
  .map((at) => `${at}: builds a regular expression that cannot be judged: write it as a literal or a loop`);
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
