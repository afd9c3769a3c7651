import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');

const refused: [what: string, sql: string, finding: string][] = [
  ['an index that blocks writes', 'create index names on bots (name);', 'require-concurrent-index-creation'],
  ['a check that scans the table', 'alter table bots add constraint c check (n > 1);', 'constraint-missing-not-valid'],
  ['a rewrite of the table', 'alter table bots alter column n type bigint;', 'changing-column-type'],
  ['a column that the old version reads', 'alter table bots drop column name;', 'ban-drop-column'],
  ['a renamed column', 'alter table bots rename column name to title;', 'renaming-column'],
  ['a required column without a default', 'alter table bots add column n int not null;', 'adding-required-field'],
  ['a change of all rows at once', 'update bots set n = 1;', 'Use a backfill'],
  ['rows copied at once', 'insert into bots (id) select id from other;', 'Use a backfill'],
  [
    'two statements outside of a transaction',
    '-- no transaction\ncreate index concurrently a on bots (n);\ncreate index concurrently b on bots (m);',
    'exactly one statement',
  ],
  [
    'a new column outside of a transaction',
    '-- no transaction\nalter table bots add column n int;',
    'outside of a transaction',
  ],
  [
    'an index in the background, in a transaction',
    'create index concurrently a on bots (n);',
    'does not work in a transaction',
  ],
];

const accepted: [what: string, sql: string][] = [
  ['a new column', "alter table bots add column n int not null default 0;\ncomment on column bots.n is 'a; b';"],
  ['an index in the background', '-- no transaction\ncreate index concurrently if not exists a on bots (n);'],
  ['an index of a partitioned table', '-- partition by partition\ncreate index a on events (tenant_id, type);'],
  ['a constraint for new rows', 'alter table bots add constraint c check (n > 1) not valid;'],
  [
    'a backfill',
    '-- backfill bots by id, 1_000 rows at a time\nupdate bots set n = 1 where id > :after and id <= :upto;',
  ],
  ['a function that updates', 'create function f() returns void language sql as $$ update bots set n = 1; $$;'],
];

const fileOf = (n: number) => `${1_000 + n}_change.sql`;
const dir = mkdtempSync(join(tmpdir(), 'migrations-'));
for (const [n, [, sql]] of [...refused, ...accepted].entries()) writeFileSync(join(dir, fileOf(n)), sql);
const { stderr } = spawnSync(process.execPath, ['tools/check-migrations.ts', dir], { cwd: root, encoding: 'utf8' });
const findingsOf = (n: number) => stderr.split('\n').filter((line) => line.startsWith(fileOf(n)));

test.each(refused.map((one, n) => [...one, n] as const))('refused: %s', (_what, _sql, finding, n) =>
  expect(findingsOf(n).join('\n')).toContain(finding),
);
test.each(accepted.map((one, n) => [...one, refused.length + n] as const))('accepted: %s', (_what, _sql, n) =>
  expect(findingsOf(n)).toEqual([]),
);
