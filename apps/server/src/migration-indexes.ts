import { sql } from 'kysely';
import type { PartitionedIndex } from './migration-files.ts';
import { inShortTransaction, outsideTransaction, type MigrationRun } from './migration-locks.ts';

/**
 * PostgreSQL cannot create an index of a partitioned table without blocking its writes. So the index is created for the
 * table alone, which is empty, then for each partition, and attached. New partitions have it from the start.
 */
export async function createPartitionedIndex(run: MigrationRun, index: PartitionedIndex): Promise<void> {
  const { name, table, unique, definition } = index;
  const create = unique ? 'create unique index' : 'create index';
  await inShortTransaction(run, name, (tx) =>
    sql.raw(`${create} if not exists ${name} on only ${table} ${definition}`).execute(tx),
  );
  for (;;) {
    await dropInvalidIndexes(run);
    const partition = await nextWithout(run, index);
    if (partition === undefined) break;
    const own = `${partition}_${name}`;
    await outsideTransaction(run, `${create} concurrently if not exists ${own} on ${partition} ${definition}`);
    await inShortTransaction(run, name, (tx) => sql.raw(`alter index ${name} attach partition ${own}`).execute(tx));
    run.report(`${name}: created for ${partition}`);
  }
}

async function nextWithout({ connection }: MigrationRun, { name, table }: PartitionedIndex) {
  const { rows } = await sql<{ partition: string }>`
    select child.inhrelid::regclass::text as partition from pg_inherits child
    where child.inhparent = ${table}::regclass and not exists (
      select from pg_index join pg_inherits attached on attached.inhrelid = indexrelid
      where indrelid = child.inhrelid and attached.inhparent = ${name}::regclass)
    order by 1 limit 1`.execute(connection);
  return rows[0]?.partition;
}

/** What an interrupted `create index concurrently` leaves behind; `if not exists` would take it for the finished index. */
export async function dropInvalidIndexes(run: MigrationRun): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indexrelid
    where not indisvalid and relkind = 'i' and relowner = current_user::regrole`.execute(run.connection);
  for (const { name } of rows) await outsideTransaction(run, `drop index concurrently if exists ${name}`);
}
