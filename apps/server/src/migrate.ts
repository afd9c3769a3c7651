import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { backfill } from './migration-backfill.ts';
import { readMigrations, type MigrationFile } from './migration-files.ts';
import { createPartitionedIndex, dropInvalidIndexes } from './migration-indexes.ts';
import { inShortTransaction, outsideTransaction, type Connection, type MigrationRun } from './migration-locks.ts';
import { packageDir } from './platform/paths.ts';

export interface MigrateOptions {
  files?: MigrationFile[];
  /** Progress, one line at a time. */
  report?: (line: string) => void;
}

/**
 * Migrates a database, connected as its owner, to the latest schema. Returns the migrations that ran. Safe while the server
 * is running, to start from several machines, and to run again after it was interrupted. Needs two connections.
 */
export function migrate<DB>(db: Kysely<DB>, options: MigrateOptions = {}): Promise<string[]> {
  const { report = () => {} } = options;
  const others = db as unknown as Connection;
  return others.connection().execute(async (connection) => {
    await lockMigrations(connection, report);
    try {
      await createTables(connection);
      const pending = await pendingOf(connection, options.files);
      const run = { connection, pid: await pidOf(connection), db: others, report };
      for (const file of pending) await apply(run, file);
      return pending.map(({ name }) => name);
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
    }
  });
}

/** The migrations that `migrate` would run, without running them. */
export const planMigrations = <DB>(db: Kysely<DB>, files?: MigrationFile[]): Promise<MigrationFile[]> =>
  pendingOf(db as unknown as Connection, files);

/**
 * Waits until someone else has migrated the database to the schema of this version, which can be before it exists or accepts
 * connections. Connect as the server does.
 */
export async function waitForMigrations<DB>(
  db: Kysely<DB>,
  { report = () => {}, pollMs = 1_000 }: Pick<MigrateOptions, 'report'> & { pollMs?: number } = {},
): Promise<void> {
  for (let reported = ''; ; await sleep(pollMs)) {
    const missing = await planMigrations(db).then(
      (pending) => pending.map(({ name }) => name).join(', '),
      (error: unknown) => (error instanceof Error && error.message) || 'the database does not respond',
    );
    if (missing === '') return;
    if (missing !== reported) report(`Waiting for migrations: ${missing}`);
    reported = missing;
  }
}

/** Creates the roles, once per cluster, as a superuser or with CREATEROLE. */
export async function createRoles<DB>(db: Kysely<DB>): Promise<void> {
  await sql.raw(await readFile(join(packageDir, 'db/roles.sql'), 'utf8')).execute(db);
}

const lockKey = 7_261_553_921; // any constant: nothing else uses this lock

/** Of the session and not of a transaction: the migrations have their own transactions. */
async function lockMigrations(connection: Connection, report: (line: string) => void): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { rows } = await sql<{ ok: boolean }>`select pg_try_advisory_lock(${lockKey}) as ok`.execute(connection);
    if (rows[0]?.ok) return;
    if (attempt === 0) report('Another migration is running. Waiting for it to finish.');
    await sleep(500);
  }
}

async function pidOf(connection: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
  return rows[0]?.pid ?? 0;
}

/** Not in `public`, where every table belongs to a tenant. */
const createTables = (connection: Connection) =>
  sql
    .raw(
      `create schema if not exists migrations;
       create table if not exists migrations.applied (
         name text primary key, checksum text not null, applied_at timestamptz not null default now(), duration_ms int not null);
       create table if not exists migrations.backfills (
         name text primary key, tenant text default '', last_key text not null default '', changed bigint not null default 0);
       -- Read by parley-server check, which runs as the role of the server.
       grant usage on schema migrations to parley_app;
       grant select on migrations.applied to parley_app;`,
    )
    .execute(connection);

async function pendingOf(db: Connection, files?: MigrationFile[]): Promise<MigrationFile[]> {
  const all = files ?? (await readMigrations());
  const { rows: tables } = await sql<{ has: boolean }>`
    select to_regclass('migrations.applied') is not null as has`.execute(db);
  if (!tables[0]?.has) return all;
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from migrations.applied`.execute(db);
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of all)
    if (applied.has(name) && applied.get(name) !== checksum)
      throw new Error(
        `${name} was changed after it was applied here. Restore the file, and put the change into a new one.`,
      );
  // Migrations of a newer version are no error: after a rollback, this version runs on them.
  return all.filter(({ name }) => !applied.has(name));
}

async function apply(run: MigrationRun, file: MigrationFile): Promise<void> {
  const startedAt = Date.now();
  const { name, mode } = file;
  if (mode.kind === 'no transaction') {
    await dropInvalidIndexes(run);
    await outsideTransaction(run, file.sql);
  }
  if (mode.kind === 'partitioned index') await createPartitionedIndex(run, mode);
  if (mode.kind === 'backfill') await backfill(run, file, mode);
  await inShortTransaction(run, name, async (tx) => {
    if (mode.kind === 'transaction') await sql.raw(file.sql).execute(tx);
    await record(tx, file, startedAt);
  });
}

const record = (db: Connection, { name, checksum }: MigrationFile, startedAt: number) =>
  sql`insert into migrations.applied (name, checksum, duration_ms)
      values (${name}, ${checksum}, ${Date.now() - startedAt})`.execute(db);
