import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { migrate } from '../../src/migrate.ts';
import { readMigrations } from '../../src/migration-files.ts';
import { connect } from '../../src/platform/db.ts';
import { startOwnDatabase } from '../faults/own-database.ts';

const { urlAs, remove } = await startOwnDatabase('autovacuum');
const root = connect(urlAs('postgres'), { max: 1 });
const owner = connect(urlAs('parley_owner'), { max: 2 });
afterAll(async () => {
  await Promise.all([root.destroy(), owner.destroy()]);
  await remove();
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
  await expect.poll(isVacuumed, { timeout: 90_000 }).toBe(true);
  const dir = mkdtempSync(join(tmpdir(), 'migrations-'));
  writeFileSync(join(dir, '9001_a.sql'), 'alter table probe add column a int;');
  const files = [...(await readMigrations()), ...(await readMigrations(dir))];
  const lines: string[] = [];
  expect(await migrate(owner, { files, report: (line) => lines.push(line) })).toEqual(['9001_a.sql']);
  expect(lines).toEqual(['9001_a.sql: a table is in use. Trying again until it is free.']);
});
