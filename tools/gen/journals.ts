// Writes the journal of each durable handler to apps/server/test/rules/journal-commands.txt, from the handlers' source. New
// handlers are added; for a changed or removed one, --breaking must say why no invocation replays the old journal.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJournals } from '../journals/journals.ts';
import { applyChanges, compareJournals, explain, parseRecord, serialiseRecord } from '../journals/record.ts';

const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, breaking: { type: 'string', default: '' } },
});
const server = resolve(import.meta.dirname, '../../apps/server');
const file = resolve(server, 'test/rules/journal-commands.txt');
const record = parseRecord(readFileSync(file, 'utf8'));
const changes = compareJournals(record, readJournals(resolve(server, 'src')));
const isBreaking = changes.some(({ kind }) => kind !== 'new');
const reason = options.breaking.trim();
if (changes.length > 0 && (options.check || (isBreaking && reason === ''))) {
  console.error(explain(changes));
  process.exitCode = 1;
} else if (changes.length > 0) {
  writeFileSync(file, serialiseRecord(applyChanges(record, changes, reason)));
  console.log(`wrote ${file}`);
}
