import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { packageDir } from './platform/paths.ts';

const folder = join(packageDir, 'db');

/** One file per migration, without down migrations: mistakes are fixed by the next file. */
const migration = (file: string): Migration => ({
  up: async (db) => {
    await sql.raw(await readFile(join(folder, 'migrations', file), 'utf8')).execute(db);
  },
});

const getMigrations = async () => {
  const files = (await readdir(join(folder, 'migrations'))).filter((file) => file.endsWith('.sql'));
  return Object.fromEntries(files.map((file) => [file, migration(file)]));
};

/** Migrates a database, connected as its owner, to the latest schema. Returns the migrations that ran. */
export async function migrate<DB>(db: Kysely<DB>): Promise<string[]> {
  // The migration table is not in `public`, where every table belongs to a tenant.
  const migrator = new Migrator({ db, provider: { getMigrations }, migrationTableSchema: 'migrations' });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map((result) => result.migrationName);
}

/** Creates the roles, once per cluster, as a superuser. */
export async function createRoles<DB>(db: Kysely<DB>): Promise<void> {
  await sql.raw(await readFile(join(folder, 'roles.sql'), 'utf8')).execute(db);
}
