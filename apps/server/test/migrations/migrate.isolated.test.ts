import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createTenant } from '../../src/features/tenants/tenants.service.ts';
import { migrate, planMigrations } from '../../src/migrate.ts';
import { readMigrations } from '../../src/migration-files.ts';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { connect, type Tx } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { holdLock } from '../faults/hold-lock.ts';
import { admin, countLockWaits, services, urlAs } from '../harness.ts';

const owner = connect(urlAs('parley_owner'), { max: 2, queryMs: 120_000 });
const other = connect(urlAs('parley_owner'), { max: 2, queryMs: 120_000 });
afterAll(() => Promise.all([owner.destroy(), other.destroy()]));

/** The product's migrations and the given ones, which follow them. */
async function withFiles(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return [...(await readMigrations()), ...(await readMigrations(dir))];
}

beforeEach(async () => {
  await sql`delete from migrations.applied where name like '9%'`.execute(admin);
  await sql`delete from migrations.backfills`.execute(admin);
  await sql`drop table if exists public.probe`.execute(admin);
  await sql`create table public.probe (tenant_id text default current_tenant(), id text, n int default 0, last_key text, upto text, primary key (tenant_id, id))`.execute(
    owner,
  );
  await sql`select protect_by_tenant('probe')`.execute(owner);
});

const applied = async () => {
  const { rows } = await sql<{ name: string }>`
    select name from migrations.applied where name like '9%' order by name`.execute(admin);
  return rows.map(({ name }) => name);
};
const columns = async () => {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = 'public.probe'::regclass and attnum > 5 and not attisdropped
    order by 1`.execute(admin);
  return rows.map(({ name }) => name);
};

const invalidIndexes = async () => (await sql`select from pg_index where not indisvalid`.execute(admin)).rows;

test('after a failed file, those before it stay applied, and the next run continues with it', async () => {
  const files = {
    '9001_a.sql': 'alter table probe add column a int;',
    '9002_b.sql': 'alter table probe add column b int; select 1 / 0;',
    '9003_c.sql': 'alter table probe add column c int;',
  };
  await expect(migrate(owner, { files: await withFiles(files) })).rejects.toThrow('division by zero');
  expect(await applied()).toEqual(['9001_a.sql']);
  expect(await columns()).toEqual(['a']);
  const fixed = await withFiles({ ...files, '9002_b.sql': 'alter table probe add column b int;' });
  expect((await planMigrations(owner, fixed)).map(({ name }) => name)).toEqual(['9002_b.sql', '9003_c.sql']);
  expect(await migrate(owner, { files: fixed })).toEqual(['9002_b.sql', '9003_c.sql']);
  expect(await columns()).toEqual(['a', 'b', 'c']);
});

test('two migrators at the same time: each file runs once', async () => {
  const files = await withFiles({ '9001_a.sql': 'select pg_sleep(0.3); alter table probe add column a int;' });
  const lines: string[] = [];
  const ran = await Promise.all([owner, other].map((db) => migrate(db, { files, report: (line) => lines.push(line) })));
  expect(ran.flat()).toEqual(['9001_a.sql']);
  expect(lines).toEqual(['Another migration is running. Waiting for it to finish.']);
});

test('a file that was changed after it ran is refused', async () => {
  await migrate(owner, { files: await withFiles({ '9001_a.sql': 'alter table probe add column a int;' }) });
  await expect(migrate(owner, { files: await withFiles({ '9001_a.sql': '-- nothing' }) })).rejects.toThrow(
    '9001_a.sql was changed after it was applied here',
  );
});

test('an older version finds nothing to do on a newer schema', async () => {
  await migrate(owner, { files: await withFiles({ '9001_a.sql': 'alter table probe add column a int;' }) });
  expect(await migrate(owner, { files: await withFiles({}) })).toEqual([]);
});

test('while a table is in use, its migration keeps trying, and requests do not wait behind it', async () => {
  const files = await withFiles({ '9001_a.sql': 'alter table probe add column a int;' });
  const heldMs = 5_000;
  const reader = other.transaction().execute(async (tx) => {
    await sql`select count(*) from probe`.execute(tx);
    await sleep(heldMs);
  });
  await sleep(200);
  const lines: string[] = [];
  let isMigrated = false;
  const migration = migrate(owner, { files, report: (line) => lines.push(line) }).then(() => (isMigrated = true));
  let [slowestMs, requests] = [0, 0];
  while (!isMigrated) {
    const startedAt = Date.now();
    await inTenant(services, asSystem(newId('tenant'), 'test'), ({ tx }) => sql`select n from probe`.execute(tx));
    slowestMs = Math.max(slowestMs, Date.now() - startedAt);
    requests++;
    await sleep(20);
  }
  await Promise.all([reader, migration]);
  expect(lines).toEqual(['9001_a.sql: a table is in use. Trying again until it is free.']);
  expect(requests).toBeGreaterThan(5);
  expect(slowestMs).toBeLessThan(heldMs / 2); // without a lock timeout: as long as the reader
}, 60_000);

test('an index whose creation was interrupted is created again', async () => {
  await sql`insert into probe (tenant_id, id) values ('ten_a', 'x'), ('ten_b', 'x')`.execute(admin);
  const files = await withFiles({
    '9001_index.sql': '-- no transaction\ncreate unique index concurrently if not exists probe_id on probe (id);',
  });
  await expect(migrate(owner, { files })).rejects.toThrow('could not create unique index');
  expect(await applied()).toEqual([]);
  await sql`delete from probe where tenant_id = 'ten_b'`.execute(admin);
  await migrate(owner, { files });
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as is_valid from pg_index where indexrelid = 'probe_id'::regclass`.execute(admin);
  expect(rows).toEqual([{ isValid: true }]);
});

/** A change that someone has not committed yet: `create index concurrently` waits for it. */
const changeProbe = (tx: Tx) => sql`insert into probe (tenant_id, id) values ('ten_open', 'x')`.execute(tx);

test('an index waits for a transaction that is open for long, and is valid afterwards', async () => {
  const files = await withFiles({
    '9001_index.sql': '-- no transaction\ncreate index concurrently if not exists probe_n on probe (n);',
  });
  const release = await holdLock(changeProbe);
  let isMigrated = false;
  const migration = migrate(owner, { files }).then(() => (isMigrated = true));
  await expect.poll(countLockWaits).toBe(1);
  await sql`select pg_sleep(0.7)`.execute(admin); // longer than a short transaction would wait
  expect(isMigrated).toBe(false);
  await release();
  await migration;
  expect(await invalidIndexes()).toEqual([]);
  expect(await applied()).toEqual(['9001_index.sql']);
});

test('an index of a partitioned table is created for each partition, after an interruption too, and for new ones', async () => {
  await sql`create table parted (id int, n int) partition by range (id)`.execute(owner);
  for (const n of [1, 2, 3])
    await sql`create table ${sql.ref(`parted_${n}`)} partition of parted for values from (${sql.lit(n)}) to (${sql.lit(n + 1)})`.execute(
      owner,
    );
  await sql`insert into parted values (1, 1), (2, 1), (2, 1), (3, 1)`.execute(owner);
  const files = await withFiles({
    '9001_index.sql': '-- partition by partition\ncreate unique index parted_ids on parted (id, n) where n > 0;',
  });
  await expect(migrate(owner, { files })).rejects.toThrow('could not create unique index'); // the second partition
  await sql`delete from parted where id = 2`.execute(owner);
  await migrate(owner, { files });
  await sql`create table parted_4 partition of parted for values from (4) to (5)`.execute(owner);
  const { rows } = await sql<{ name: string }>`
    select indrelid::regclass::text as name from pg_index join pg_inherits on inhrelid = indexrelid
    where inhparent = 'parted_ids'::regclass order by 1`.execute(admin);
  expect(rows.map(({ name }) => name)).toEqual(['parted_1', 'parted_2', 'parted_3', 'parted_4']);
  expect(await invalidIndexes()).toEqual([]);
});

test('a file that makes requests wait is stopped, and runs once there are none', async () => {
  const files = await withFiles({ '9001_a.sql': 'alter table probe add column a int; select pg_sleep(3);' });
  const lines: string[] = [];
  let requests = 0;
  let isBusy = true;
  const calling = (async () => {
    while (isBusy) {
      await inTenant(services, asSystem(newId('tenant'), 'test'), ({ tx }) => sql`select n from probe`.execute(tx));
      requests++;
    }
  })();
  const migration = migrate(owner, { files, report: (line) => lines.push(line) });
  await expect.poll(() => lines).toEqual(['9001_a.sql: requests had to wait. Trying again.']);
  const before = requests;
  await expect.poll(() => requests).toBeGreaterThan(before + 10);
  expect(await applied()).toEqual([]);
  isBusy = false;
  await calling;
  expect(await migration).toEqual(['9001_a.sql']);
});

test('a backfill changes the rows of all tenants once each, and continues after a crash with the batch that failed', async () => {
  const tenants = Array.from({ length: 5 }, () => newId('tenant'));
  for (const tenantId of tenants)
    await inTenant(services, asSystem(tenantId, 'test'), async (ctx) => {
      await createTenant(ctx, { name: 'Backfilled', plan: 'free' });
      await sql`insert into probe (id) select 'row_' || lpad(n::text, 3, '0') from generate_series(1, 40) as n`.execute(
        ctx.tx,
      );
    });
  const files = await withFiles({
    '9001_fill.sql': `-- backfill probe by id, 30 rows at a time
      update probe set n = n + 1 where id > :after and id <= :upto;`,
  });
  // Fails in the middle, as a crash would.
  const [, , third] = tenants.toSorted();
  await sql`alter table probe add constraint crash check (n = 0 or tenant_id <> ${sql.lit(third)} or id < 'row_020')`.execute(
    admin,
  );
  await expect(migrate(owner, { files })).rejects.toThrow('crash');
  const changed = async () => {
    const { rows } = await sql<{ n: number; rows: number }>`
      select n, count(*)::int as rows from probe group by n order by n`.execute(admin);
    return rows;
  };
  const before = await changed();
  expect(before.map(({ n }) => n)).toEqual([0, 1]);
  await sql`alter table probe drop constraint crash`.execute(admin);
  const lines: string[] = [];
  await migrate(owner, { files, report: (line) => lines.push(line) });
  expect(await changed()).toEqual([{ n: 1, rows: 200 }]);
  expect(lines.at(-1)).toMatch(/^9001_fill\.sql: 200 rows changed in \d+ s$/);
});

test('a backfill of a table that belongs to no tenant changes each row once', async () => {
  await sql`create table directory.probe (id text primary key, n int default 0)`.execute(owner);
  await sql`insert into directory.probe (id) select 'row_' || n from generate_series(1, 70) as n`.execute(owner);
  const files = await withFiles({
    '9001_fill.sql': `-- backfill directory.probe by id, 30 rows at a time
      update directory.probe set n = n + 1 where id > :after and id <= :upto;`,
  });
  await migrate(owner, { files });
  const { rows } = await sql`select n, count(*)::int as rows from directory.probe group by n`.execute(owner);
  expect(rows).toEqual([{ n: 1, rows: 70 }]);
});

test('a directive with a mistake is refused before anything runs', async () => {
  await expect(withFiles({ '9001_fill.sql': '-- backfill probe\nupdate probe set n = 1;' })).rejects.toThrow(
    '-- backfill TABLE by KEY, N rows at a time',
  );
  await expect(
    withFiles({ '9001_fill.sql': '-- backfill probe by id, 10 rows at a time\nupdate probe set n = 1;' }),
  ).rejects.toThrow('needs KEY > :after and KEY <= :upto');
  await expect(
    withFiles({ '9001_index.sql': '-- partition by partition\ncreate index concurrently a on events (type);' }),
  ).rejects.toThrow('create index NAME on TABLE');
});
