import { readdir, readFile } from 'node:fs/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

const folder = new URL('../db/', import.meta.url);

/** One file, one migration, and no way down: a mistake is mended by the next file. */
const migration = (file: string): Migration => ({
  up: async (db) => {
    await sql.raw(await readFile(new URL(`migrations/${file}`, folder), 'utf8')).execute(db);
  },
});

const getMigrations = async () => {
  const files = (await readdir(new URL('migrations/', folder))).filter((file) => file.endsWith('.sql'));
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
  await sql.raw(await readFile(new URL('roles.sql', folder), 'utf8')).execute(db);
}
