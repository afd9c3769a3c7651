import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { createRoles } from '../migrate.ts';
import { loadDatabaseUrl } from '../platform/config.ts';
import { connect, type Db } from '../platform/db.ts';
import { scramVerifier } from './scram.ts';

/** `parley-server database create`. The URLs come from files, because they contain the passwords. */
export async function createDatabaseFromFiles(
  ownerFile: string | undefined,
  appFile: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  if (!ownerFile || !appFile) throw new Error('Missing URLs of the two roles. Add --owner-url-file and --app-url-file');
  const [owner, app] = [readUrl(ownerFile), readUrl(appFile)];
  const superuser = loadDatabaseUrl();
  const isNew = await withConnection(superuser, (db) => createDatabase(db, { owner, app }));
  const inDatabase = Object.assign(new URL(superuser), { pathname: owner.pathname }).href;
  const hasVectors = await withConnection(inDatabase, createVectorExtension);
  print(isNew ? 'Created the roles and the database.' : 'Set the passwords of the roles. The database exists already.');
  if (!hasVectors) print('pgvector is not installed. The server compares vectors itself, up to 50,000 per bot.');
}

async function withConnection<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect(url, { max: 1, connectMs: 30_000 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function readUrl(file: string): URL {
  const text = readFileSync(file, 'utf8').trim();
  if (!URL.canParse(text)) throw new Error(`${file} does not contain a URL.`); // without the content, which has a password
  return new URL(text);
}

interface RoleUrls {
  /** How migrations connect. */
  owner: URL;
  /** How the server connects. */
  app: URL;
}

/**
 * As a superuser: creates the roles with the passwords in these URLs, and the database that they name. Safe to repeat, also
 * to change a password. Returns whether the database is new.
 */
export async function createDatabase(db: Db, urls: RoleUrls): Promise<boolean> {
  const { owner, app } = urls;
  assertRole(owner, 'parley_owner');
  assertRole(app, 'parley_app');
  if (databaseOf(owner) !== databaseOf(app)) throw new Error('The two URLs name different databases.');
  await createRoles(db);
  for (const url of [owner, app]) {
    const verifier = scramVerifier(decodeURIComponent(url.password));
    await sql`alter role ${sql.ref(url.username)} password ${sql.lit(verifier)}`.execute(db);
  }
  const name = databaseOf(owner);
  const { rows } = await sql`select 1 from pg_database where datname = ${name}`.execute(db);
  if (rows.length > 0) return false;
  await sql`create database ${sql.ref(name)} owner parley_owner encoding 'UTF8' template template0`.execute(db);
  return true;
}

/** For semantic search. Returns whether the server has the extension. As a superuser, in the database itself. */
export async function createVectorExtension(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(db);
  if (rows.length === 0) return false;
  await sql`create extension if not exists vector schema public`.execute(db);
  return true;
}

const databaseOf = (url: URL) => decodeURIComponent(url.pathname.slice(1));

function assertRole({ username, password }: URL, role: string): void {
  if (username !== role) throw new Error(`Expected a URL of ${role}, not of "${username}".`);
  if (!password) throw new Error(`The URL of ${role} has no password.`);
}
