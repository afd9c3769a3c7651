// Compares the OpenAPI document with that of the last release, and fails on changes that break clients, unless the API
// has a new version. With --release, the current document becomes the last release: run it when you deploy one.
// With --rewrite it does so in any case: for a version that is not deployed yet.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareReleases } from './api-changes/operations.ts';
import { releaseOf, type Document, type Release } from './api-changes/release.ts';

const root = resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    document: { type: 'string', default: resolve(root, 'apps/server/openapi.json') },
    last: { type: 'string', default: resolve(root, 'docs/api-releases/last.jsonl') },
    release: { type: 'boolean', default: false },
    rewrite: { type: 'boolean', default: false },
  },
});

const now = releaseOf(JSON.parse(readFileSync(options.document, 'utf8')) as Document);
const last = read(readFileSync(options.last, 'utf8'));
const changes = compareReleases(last, now);
for (const { where, what, isBreaking } of changes)
  console.log(`${isBreaking ? 'breaks' : 'note  '}  ${where}: ${what}`);

const count = changes.filter(({ isBreaking }) => isBreaking).length;
if (count > 0 && now.version <= last.version && !options.rewrite) {
  console.error(`This would break clients of ${last.version}, ${count} times. Keep what they use,`);
  console.error('or add a version in apps/server/src/platform/version.ts and run: npm run gen');
  process.exitCode = 1;
} else if (options.release || options.rewrite) {
  writeFileSync(options.last, serialise(now));
  console.log(`${now.version}, as it is now, is the last release.`);
}

/** A line for each route and shared schema, so that a review sees what changed. */
function serialise({ version, schemas, operations }: Release): string {
  const lines = [
    { version },
    ...Object.entries(schemas).map(([schema, is]) => ({ schema, is })),
    ...Object.entries(operations).map(([operation, is]) => ({ operation, is })),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function read(text: string): Release {
  const release: Release = { version: '', schemas: {}, operations: {} };
  for (const line of text.trim().split('\n')) {
    const { version, schema, operation, is } = JSON.parse(line) as Record<string, string> & { is: never };
    if (version) release.version = version;
    if (schema) release.schemas[schema] = is;
    if (operation) release.operations[operation] = is;
  }
  return release;
}
