import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type Postgres } from '../../../../tools/stack/index.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, waitForMigrations } from '../migrate.ts';
import { connect, type Db } from '../platform/db.ts';
import { createDatabase } from './create-database.ts';

const dir = mkdtempSync(join(tmpdir(), 'create-database-'));
let postgres: Postgres;
let superuser: Db;

beforeAll(async () => {
  chmodSync(dir, 0o755); // PostgreSQL runs under another account
  postgres = await startPostgres(join(dir, 'postgres'), { durable: false });
  superuser = connect(postgres.adminUrl, { max: 1 });
  // From now on, all but the superuser need their password.
  const rules = 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n';
  writeFileSync(join(dir, 'postgres/pgdata/pg_hba.conf'), rules);
  await sql`select pg_reload_conf()`.execute(superuser);
});
afterAll(async () => {
  await superuser.destroy();
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
});

const urlOf = (role: string, password: string) =>
  new URL(`postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${postgres.port}/parley`);
const select = async (url: URL) => {
  const db = connect(url.href, { max: 2 });
  try {
    return await sql`select current_user as name`.execute(db).then(({ rows }) => rows);
  } finally {
    await db.destroy();
  }
};

test('creates a database that its roles reach with their passwords only, and that can be migrated', async () => {
  const [owner, app] = [urlOf('parley_owner', 'owner-1 %/@'), urlOf('parley_app', 'app-1')];
  expect(await createDatabase(superuser, { owner, app })).toBe(true);
  expect(await select(app)).toEqual([{ name: 'parley_app' }]);
  await expect(select(urlOf('parley_app', 'owner-1 %/@'))).rejects.toThrow('password authentication failed');

  // A server that starts before the migrations waits for them, as the role that cannot migrate.
  const server = connect(app.href, { max: 1 });
  const lines: string[] = [];
  let hasWaited = false;
  const waiting = waitForMigrations(server, { report: (line) => lines.push(line), pollMs: 20 }).then(() => {
    hasWaited = true;
  });
  await expect.poll(() => lines).toEqual([expect.stringContaining('0001_baseline.sql')]);
  await sleep(100);
  expect(hasWaited).toBe(false);

  const db = connect(owner.href, { max: 2 });
  await migrate(db);
  await db.destroy();
  await waiting;
  await server.destroy();
});

test('changes passwords when it is repeated, and leaves the database alone', async () => {
  const [owner, app] = [urlOf('parley_owner', 'owner-2'), urlOf('parley_app', 'app-2')];
  expect(await createDatabase(superuser, { owner, app })).toBe(false);
  expect(await select(owner)).toEqual([{ name: 'parley_owner' }]);
  await expect(select(urlOf('parley_app', 'app-1'))).rejects.toThrow('password authentication failed');
});

test('refuses URLs of other roles, and those without a password', async () => {
  const app = urlOf('parley_app', 'x');
  await expect(createDatabase(superuser, { owner: urlOf('postgres', 'x'), app })).rejects.toThrow('parley_owner');
  await expect(createDatabase(superuser, { owner: urlOf('parley_owner', ''), app })).rejects.toThrow('no password');
});
