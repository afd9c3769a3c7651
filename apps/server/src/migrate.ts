import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import { readMigrations, type Backfill, type MigrationFile } from './migration-files.ts';
import { packageDir } from './platform/paths.ts';

export interface MigrateOptions {
  files?: MigrationFile[];
  /** Progress, one line at a time. */
  report?: (line: string) => void;
}

type Connection = Kysely<unknown>;

/**
 * Migrates a database, connected as its owner, to the latest schema. Returns the migrations that ran. Safe while the server
 * is running, to start from several machines, and to run again after it was interrupted.
 */
export function migrate<DB>(db: Kysely<DB>, options: MigrateOptions = {}): Promise<string[]> {
  const { report = () => {} } = options;
  return (db as unknown as Connection).connection().execute(async (connection) => {
    await lockMigrations(connection, report);
    try {
      await createTables(connection);
      const pending = await pendingOf(connection, options.files);
      for (const file of pending) await apply(connection, file, { report, ...options });
      return pending.map(({ name }) => name);
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
    }
  });
}

/** The migrations that `migrate` would run, without running them. */
export const planMigrations = <DB>(db: Kysely<DB>, files?: MigrationFile[]): Promise<MigrationFile[]> =>
  pendingOf(db as unknown as Connection, files);

/** Creates the roles, once per cluster, as a superuser. */
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

/** Not in `public`, where every table belongs to a tenant. */
const createTables = (connection: Connection) =>
  sql
    .raw(
      `create schema if not exists migrations;
       create table if not exists migrations.applied (
         name text primary key, checksum text not null, applied_at timestamptz not null default now(), duration_ms int not null);
       create table if not exists migrations.backfills (
         name text primary key, tenant text default '', last_key text not null default '', changed bigint not null default 0);`,
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

async function apply(connection: Connection, file: MigrationFile, options: MigrateOptions): Promise<void> {
  const startedAt = Date.now();
  const { name, mode } = file;
  if (mode.kind === 'no transaction') {
    await dropInvalidIndexes(connection, options);
    await withLockRetries(connection, name, options, () => sql.raw(file.sql).execute(connection));
    await record(connection, file, startedAt);
    return;
  }
  if (mode.kind === 'backfill') await backfill(connection, file, mode, options);
  await withLockRetries(connection, name, options, () =>
    connection.transaction().execute(async (tx) => {
      if (mode.kind === 'transaction') await sql.raw(file.sql).execute(tx);
      await record(tx, file, startedAt);
    }),
  );
}

const record = (db: Connection, { name, checksum }: MigrationFile, startedAt: number) =>
  sql`insert into migrations.applied (name, checksum, duration_ms)
      values (${name}, ${checksum}, ${Date.now() - startedAt})`.execute(db);

const lockNotAvailable = '55P03';
/** How long a statement waits for a lock: requests queue behind it for as long. */
const lockTimeout = '500ms';
/** How long to keep trying to get the locks of one file. */
const giveUpMs = 10 * 60_000;

/** Each attempt waits only briefly for locks, so that a long query of someone else does not stop all others behind us. */
async function withLockRetries(
  connection: Connection,
  name: string,
  { report = () => {} }: MigrateOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  const giveUpAt = Date.now() + giveUpMs;
  await sql`select set_config('lock_timeout', ${lockTimeout}, false)`.execute(connection);
  for (let attempt = 1; ; attempt++)
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || Date.now() > giveUpAt) throw error;
      if (attempt === 1) report(`${name}: a table is in use. Trying again until it is free.`);
      await sleep(Math.min(250 * attempt, 5_000) * (0.5 + Math.random()));
    }
}

/** What an interrupted `create index concurrently` leaves behind; `if not exists` would take it for the finished index. */
async function dropInvalidIndexes(connection: Connection, options: MigrateOptions): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index
    where not indisvalid and pg_get_userbyid((select relowner from pg_class where oid = indexrelid)) = current_user`.execute(
    connection,
  );
  for (const { name } of rows)
    await withLockRetries(connection, name, options, () =>
      sql.raw(`drop index concurrently if exists ${name}`).execute(connection),
    );
}

/**
 * Row-level security also applies to the owner of the tables, so the rows are changed tenant by tenant. A server-side loop,
 * because a round trip per tenant takes too long with a million of them. Stops after a number of rows or of tenants.
 */
const backfillFunction = ({ table, key }: Backfill, statement: string) => `
  create or replace function pg_temp.backfill(inout tenant text, inout last_key text, inout changed bigint, max_rows int)
  language plpgsql as $function$
  declare
    visited int := 0;
    seen int := 0;
    selected int;
    affected int;
    upto text;
  begin
    loop
      perform set_config('app.tenant_id', tenant, true);
      select count(*), max(batch.${key}) into selected, upto from (
        select ${key} from ${table} where ${key} > last_key order by ${key} limit max_rows - seen) as batch;
      if selected > 0 then
        execute $statement$${statement}$statement$ using last_key, upto;
        get diagnostics affected = row_count;
        changed := changed + affected;
        seen := seen + selected;
        last_key := upto;
      end if;
      exit when seen >= max_rows;
      tenant := ${isTenantTable(table) ? '(select id from directory.tenants_after(tenant, 1) as id)' : 'null'};
      last_key := '';
      visited := visited + 1;
      exit when tenant is null or visited >= 5000;
    end loop;
  end $function$`;

/** Those in other schemas are not protected by row-level security. */
const isTenantTable = (table: string) => !table.includes('.') || table.startsWith('public.');

/** Continues after the last batch that was committed. */
async function backfill(
  connection: Connection,
  { name, sql: text }: MigrationFile,
  mode: Backfill,
  options: MigrateOptions,
): Promise<void> {
  const statement = text.replaceAll(':after', '$1').replaceAll(':upto', '$2').trimEnd().replace(/;$/, '');
  await sql.raw(backfillFunction(mode, statement)).execute(connection);
  await sql`insert into migrations.backfills (name) values (${name}) on conflict do nothing`.execute(connection);
  const startedAt = Date.now();
  for (let batch = 1; ; batch++) {
    let progress: Progress | undefined;
    await withLockRetries(connection, name, options, async () => {
      progress = await connection.transaction().execute((tx) => runBatch(tx, name, mode.batchSize));
    });
    const isDone = progress?.tenant == null;
    if (isDone || batch % 20 === 0)
      options.report?.(
        `${name}: ${progress?.changed ?? 0} rows changed in ${Math.round((Date.now() - startedAt) / 1_000)} s`,
      );
    if (isDone) return;
  }
}

interface Progress {
  /** null: the last tenant is done. */
  tenant: string | null;
  lastKey: string;
  changed: string;
}

/** The progress is stored in the transaction of the batch, so an interrupted backfill neither skips nor repeats one. */
async function runBatch(tx: Connection, name: string, batchSize: number): Promise<Progress | undefined> {
  const stored = await sql<Progress>`
    select tenant, last_key as "lastKey", changed from migrations.backfills where name = ${name}`.execute(tx);
  const [from] = stored.rows;
  if (from?.tenant == null) return from;
  const { rows } = await sql<Progress>`
    select tenant, last_key as "lastKey", changed
    from pg_temp.backfill(${from.tenant}, ${from.lastKey}, ${from.changed}, ${batchSize})`.execute(tx);
  const [to] = rows;
  await sql`update migrations.backfills set tenant = ${to?.tenant}, last_key = ${to?.lastKey}, changed = ${to?.changed}
    where name = ${name}`.execute(tx);
  return to;
}
