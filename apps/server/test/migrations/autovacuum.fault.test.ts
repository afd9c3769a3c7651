import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { startPostgres } from '../../../../tools/stack/index.ts';
import { createRoles, migrate } from '../../src/migrate.ts';
import { readMigrations } from '../../src/migration-files.ts';
import { connect } from '../../src/platform/db.ts';

// A separate PostgreSQL, because autovacuum is set for all databases. It needs the roles, but not our tables.
const dir = join(inject('runDir'), `autovacuum-${process.pid}`);
const postgres = await startPostgres(dir, { durable: false });
const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;
const cluster = connect(postgres.adminUrl, { max: 1, connectMs: 60_000 });
await createRoles(cluster);
await sql`create database parley owner parley_owner`.execute(cluster);
await cluster.destroy();
const root = connect(urlAs('postgres'), { max: 1 });
const owner = connect(urlAs('parley_owner'), { max: 2 });
afterAll(async () => {
  await Promise.all([root.destroy(), owner.destroy()]);
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Whether autovacuum is at work on the table. It takes many minutes. */
const isVacuumed = async () =>
  (await sql`select from pg_stat_progress_vacuum where relid = 'public.probe'::regclass`.execute(root)).rows.length > 0;

test('a migration does not wait until autovacuum has finished its table', async () => {
  await sql`create table probe (n int) with (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`.execute(owner);
  await sql`insert into probe select generate_series(1, 200000)`.execute(owner);
  await sql`delete from probe where n % 2 = 0`.execute(owner);
  await sql`alter system set autovacuum_naptime = '1s'`.execute(root);
  await sql`select pg_reload_conf()`.execute(root);
  await expect.poll(isVacuumed, { timeout: 90_000, interval: 250 }).toBe(true);
  const migrations = mkdtempSync(join(tmpdir(), 'migrations-'));
  writeFileSync(join(migrations, '9001_a.sql'), 'alter table probe add column a int;');
  const lines: string[] = [];
  const options = { files: await readMigrations(migrations), report: (line: string) => lines.push(line) };
  expect(await migrate(owner, options)).toEqual(['9001_a.sql']);
  expect(lines).toEqual(['9001_a.sql: a table is in use. Trying again until it is free.']);
});
