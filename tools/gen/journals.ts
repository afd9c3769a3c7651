// Writes the journal of each durable handler to apps/server/test/rules/journal-commands.txt, from the handlers' source. New
// handlers are added; for a changed or removed one, --breaking must say why no invocation replays the old journal.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJournals } from '../journals/journals.ts';
import { applyChanges, compareJournals, explain, parseRecord, serialiseRecord } from '../journals/record.ts';

const server = resolve(import.meta.dirname, '../../apps/server');
const { values: options } = parseArgs({
  options: {
    source: { type: 'string', default: resolve(server, 'src') },
    record: { type: 'string', default: resolve(server, 'test/rules/journal-commands.txt') },
    check: { type: 'boolean', default: false },
    breaking: { type: 'string', default: '' },
  },
});
const record = parseRecord(readFileSync(options.record, 'utf8'));
const changes = compareJournals(record, readJournals(options.source));
const isBreaking = changes.some(({ kind }) => kind !== 'new');
const reason = options.breaking.replaceAll(/\s+/g, ' ').trim();
if (changes.length > 0 && (options.check || (isBreaking && reason === ''))) {
  console.error(explain(changes));
  process.exitCode = 1;
} else if (changes.length > 0) {
  writeFileSync(options.record, serialiseRecord(applyChanges(record, changes, reason)));
  console.log(`wrote ${options.record}`);
}
