import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDir } from './platform/paths.ts';

/** A file in `db/migrations`. Its first line says how it runs; without a directive, in one transaction. */
export interface MigrationFile {
  name: string;
  sql: string;
  checksum: string;
  mode: { kind: 'transaction' } | { kind: 'no transaction' } | PartitionedIndex | Backfill;
}

/** An index of a partitioned table, created for one partition after the other. */
export interface PartitionedIndex {
  kind: 'partitioned index';
  name: string;
  table: string;
  unique: boolean;
  /** What follows the table: columns and conditions. */
  definition: string;
}

/** Changes existing rows in batches, so that no lock lasts longer than one batch. */
export interface Backfill {
  kind: 'backfill';
  table: string;
  /** A column of type text, with an index on it after the tenant. */
  key: string;
  batchSize: number;
}

export const migrationsDir = join(packageDir, 'db/migrations');

export async function readMigrations(dir = migrationsDir): Promise<MigrationFile[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(dir, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name, sql: text, checksum, mode: modeOf(name, text) };
    }),
  );
}

const partitionedIndex = /^create (unique )?index ([a-z_]+) on ([a-z_]+) ([^;]+);?$/;
const backfillDirective = /^-- backfill ([a-z_.]+) by ([a-z_]+), ([\d_]+) rows at a time$/;

function modeOf(name: string, text: string): MigrationFile['mode'] {
  const [first = ''] = text.split('\n', 1);
  if (first === '-- no transaction') return { kind: 'no transaction' };
  if (first === '-- partition by partition') return partitionedIndexOf(name, text);
  if (!first.startsWith('-- backfill')) return { kind: 'transaction' };
  const [, table = '', key = '', size = ''] = backfillDirective.exec(first) ?? [];
  if (!table)
    throw new Error(`${name}: write "-- backfill TABLE by KEY, N rows at a time", not ${JSON.stringify(first)}`);
  if (!text.includes(':after') || !text.includes(':upto'))
    throw new Error(`${name}: the statement of a backfill needs KEY > :after and KEY <= :upto`);
  return { kind: 'backfill', table, key, batchSize: Number(size.replaceAll('_', '')) };
}

function partitionedIndexOf(file: string, text: string): PartitionedIndex {
  const statement = text.replaceAll(/--.*$/gm, '').trim();
  const [, unique, name = '', table = '', definition = ''] = partitionedIndex.exec(statement) ?? [];
  if (!name) throw new Error(`${file}: write "create index NAME on TABLE (…);" and nothing else`);
  return { kind: 'partitioned index', name, table, unique: unique !== undefined, definition };
}
