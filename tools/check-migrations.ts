// Fails when a migration would block requests or break the version that runs next to the new one. The baseline is not
// checked: it only ever runs on an empty database.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { readMigrations, type MigrationFile } from '../apps/server/src/migration-files.ts';

const excluded = [
  'require-lock-timeout', // set by the runner, which also retries
  'require-statement-timeout', // would stop a backfill
  'prefer-robust-stmts', // a file is applied once
  'prefer-bigint-over-int',
];
const baseline = '0001_baseline.sql';

const dir = resolve(process.argv[2] ?? join(import.meta.dirname, '../apps/server/db/migrations'));
const files = (await readMigrations(dir)).filter(({ name }) => name !== baseline);
const findings = files.flatMap((file) => [...squawk(file), ...ownRules(file)]);
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;

function squawk({ name, sql, mode }: MigrationFile): string[] {
  const inTransaction = mode.kind === 'no transaction' ? [] : ['--assume-in-transaction'];
  // The runner makes it concurrent.
  const rules = mode.kind === 'partitioned index' ? [...excluded, 'require-concurrent-index-creation'] : excluded;
  const linter = resolve(import.meta.dirname, '../node_modules/.bin/squawk');
  const args = ['--pg-version=15', '--reporter=gcc', `--exclude=${rules.join(',')}`, `--stdin-filepath=${name}`];
  // The placeholders of a backfill are no SQL.
  const input = sql.replaceAll(/:(after|upto)\b/g, "''");
  const { stdout, error } = spawnSync(linter, [...args, ...inTransaction], { input, encoding: 'utf8' });
  if (error) throw error;
  return stdout.split('\n').filter((line) => line.includes(': warning: ') || line.includes(': error: '));
}

/** What squawk does not know. */
function ownRules({ name, sql, mode }: MigrationFile): string[] {
  const statements = statementsOf(sql);
  if (mode.kind !== 'transaction' && statements.length !== 1)
    return [`${name}: needs exactly one statement, because of its first line`];
  if (mode.kind === 'no transaction' && !/\b(concurrently|validate constraint)\b/i.test(statements[0] ?? ''))
    return [`${name}: outside of a transaction, it could wait for a lock for long, with requests behind it`];
  if (mode.kind !== 'transaction') return [];
  const concurrent = statements
    .filter((statement) => /\bconcurrently\b/i.test(statement))
    .map(() => `${name}: "concurrently" does not work in a transaction. Start the file with "-- no transaction".`);
  const unbatched = statements
    .filter((statement) => /^(update|delete)\b/i.test(statement) || /^insert\b[^]*\bselect\b/i.test(statement))
    .map(
      (statement) =>
        `${name}: "${statement.slice(0, 40)}…" holds its locks until the whole file is done. Use a backfill, in its own file.`,
    );
  return [...concurrent, ...unbatched];
}

/** Without comments, and without the bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
}
