import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { check } from 'recheck';
import { patternsIn, type Pattern } from './regex-patterns.ts';
import { isFull } from './testing/size.ts';

// Every regular expression of the product must run in linear time, not quadratic: tenants' and visitors' input passes
// through them in shared processes. Checking takes a minute, so results are stored in linear-regexes.json:
// `npm run check:regexes -- --write` checks new ones, TEST_SIZE=full all of them.

const files = globSync('{apps/server/src,apps/{portal,admin}/{app,src},packages/*/src}/**/*.{ts,tsx}').filter(
  (path) => !/\.test\.tsx?$/.test(path),
);

async function problemOf({ pattern, flags }: Pattern): Promise<string | null> {
  const verdict = await check(pattern, flags, { timeout: 30_000 });
  if (verdict.status === 'safe') return null;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary} for ${verdict.attack.pattern}`
    : `not analysable (${verdict.error.kind})`;
}

const list = new URL('linear-regexes.json', import.meta.url);
const mustWrite = process.argv.includes('--write');
const known = new Set(JSON.parse(readFileSync(list, 'utf8')) as string[]);
const read = files.map((path) => patternsIn(path, readFileSync(path, 'utf8')));
const found = Map.groupBy(
  read.flatMap((file) => file.found),
  ({ pattern, flags }) => `/${pattern}/${flags}`,
);
const wrong = read
  .flatMap(({ unknown }) => unknown)
  .map((at) => `${at}: builds a regular expression that cannot be checked: write it as a literal or a loop`);
for (const [regex, occurrences] of found) {
  if (known.has(regex) && !isFull) continue;
  const problem = occurrences[0] && (await problemOf(occurrences[0]));
  const next = problem ?? (mustWrite || isFull ? null : 'new: run npm run check:regexes -- --write');
  if (next !== null) wrong.push(`${occurrences.map(({ at }) => at).join(', ')}: ${regex} is ${next}`);
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
} else if (mustWrite) writeFileSync(list, `${JSON.stringify([...found.keys()].toSorted(), null, 2)}\n`);
