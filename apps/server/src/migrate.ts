import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { packageDir } from './platform/paths.ts';

const folder = join(packageDir, 'db');

/** One file, one migration, and no way down: a mistake is mended by the next file. */
const migration = (file: string): Migration => ({
  up: async (db) => {
    await sql.raw(await readFile(join(folder, 'migrations', file), 'utf8')).execute(db);
  },
});

const getMigrations = async () => {
  const files = (await readdir(join(folder, 'migrations'))).filter((file) => file.endsWith('.sql'));
  return Object.fromEntries(files.map((file) => [file, migration(file)]));
};

/** Brings a database, reached as its owner, to the newest schema: all that is new, or nothing. Says what it ran. */
export async function migrate<DB>(db: Kysely<DB>): Promise<string[]> {
  // The list of what has run stays out of `public`: no tenant owns it, and every table there is a tenant's.
  const migrator = new Migrator({ db, provider: { getMigrations }, migrationTableSchema: 'migrations' });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map((result) => result.migrationName);
}

/** The two roles, once per cluster, by a superuser. */
export async function createRoles<DB>(db: Kysely<DB>): Promise<void> {
  await sql.raw(await readFile(join(folder, 'roles.sql'), 'utf8')).execute(db);
}
