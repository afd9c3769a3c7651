import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { countOf, isFull } from '../../../../tools/testing/size.ts';
import { admin, aKey, aTenant, settings, urlAs, withLoadAllowance } from '../harness.ts';
import { startChild, type Child } from '../faults/child.ts';
import { holdLock } from '../faults/hold-lock.ts';
import { randomFrom, seed as randomSeed } from '../faults/random.ts';
import { startLoad, watchLockWaits } from './load.ts';
import { addTo, backfill, changes } from './next-release.ts';
import { seed } from './seed.ts';

const tenants = countOf('TENANTS', { sample: 1_000, full: 1_000_000 });
/** Each sends two requests at a time. */
const callers = isFull ? 4 : 2;
/** How many are answered before the next step. */
const requests = isFull ? 100 : 25;
const events = countOf('EVENTS', { sample: 10_000, full: 10_000_000 });
/** How long a request may wait. Asserted as it is only in full, on a machine that does nothing else. */
const maxWaitMs = 1_000;
const dir = mkdtempSync(join(tmpdir(), 'next-release-'));
const [firstFile] = Object.keys(changes);
const [backfillFile = ''] = Object.keys(backfill);
const children: Child[] = [];
afterAll(() => children.forEach((child) => child.signal('SIGKILL')));

function startMigrator() {
  const child = startChild('test/migrations/migrator.ts', { DATABASE_URL: urlAs('parley_owner'), MIGRATIONS_DIR: dir });
  children.push(child);
  return child;
}

async function aCaller() {
  const key = await aKey(await aTenant(), { permissions: ['tenant.view', 'tenant.manage', 'webhook.view'] });
  return key.headers;
}

const progress = async () => {
  const { rows } = await sql<{ changed: number }>`
    select changed::int from migrations.backfills where name = ${backfillFile}`.execute(admin);
  return rows[0]?.changed ?? 0;
};

test(
  `no request fails or waits for long while ${tenants} tenants and ${events} events are migrated, and a killed migrator continues`,
  { timeout: isFull ? 2 * 3_600_000 : 180_000 },
  async () => {
    console.log(`migrate under load: TENANTS=${tenants} EVENTS=${events} FAULT_SEED=${randomSeed}`);
    await seed(tenants, events);
    const api = startChild('src/api.ts', settings({ LOG_LEVEL: 'info', DATABASE_POOL_SIZE: '10' }));
    children.push(api);
    const { url = '' } = await api.ready;
    const headers = await Promise.all(Array.from({ length: callers }, aCaller));
    const load = startLoad(url, headers, randomFrom(randomSeed));
    const someMoreRequests = async () => {
      const before = load.completed();
      await expect.poll(load.completed).toBeGreaterThan(before + requests);
    };
    await someMoreRequests();
    const longestLockWait = watchLockWaits();

    // A long report reads tenants and events; requests continue, although the migration waits for it.
    const endReport = await holdLock((tx) => sql`select from tenants, events limit 1`.execute(tx));
    addTo(dir, changes);
    const first = startMigrator();
    const reports = (child: Child, text: string) =>
      expect.poll(() => child.lines, { timeout: isFull ? 3_600_000 : 60_000 }).toContainEqual(text);
    await reports(first, `${firstFile}: a table is in use. Trying again until it is free.`);
    await someMoreRequests();
    await endReport();
    expect(await first.ended, first.lines.join('\n')).toEqual({ code: 0, signal: null });

    // Someone else has locked a tenant in the middle, where the backfill is killed.
    const middle = `ten_${String(tenants / 2).padStart(26, '0')}`;
    const endChange = await holdLock((tx) =>
      sql`select from tenants where tenant_id = ${middle} for update`.execute(tx),
    );
    addTo(dir, backfill);
    const killed = startMigrator();
    await reports(killed, `${backfillFile}: a table is in use. Trying again until it is free.`);
    expect(killed.signal('SIGKILL')).toBe(true);
    const before = await progress();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(tenants);
    const second = startMigrator();
    await endChange();
    expect(await second.ended, second.lines.join('\n')).toEqual({ code: 0, signal: null });
    await someMoreRequests();

    const lockWaitMs = await longestLockWait();
    const { outcomes, failures, slow, durationsMs } = await load.stop();
    const at = (share: number) => Math.round(durationsMs[Math.floor((durationsMs.length - 1) * share)] ?? 0);
    console.log(
      `migrate under load: ${JSON.stringify(outcomes)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms, longest wait for a lock ${Math.round(lockWaitMs)} ms`,
    );
    for (const lines of [slow, first.lines, killed.lines, second.lines]) console.log(lines.join('\n'));
    expect(failures).toEqual([]);
    expect(lockWaitMs).toBeLessThan(await withLoadAllowance(maxWaitMs));
    if (isFull) expect(at(1)).toBeLessThanOrEqual(maxWaitMs);
  },
);

test('all of it was applied, and each row of the backfill changed once', async () => {
  const { rows: applied } = await sql<{ name: string; durationMs: number }>`
    select name, duration_ms from migrations.applied where name like '9%' order by name`.execute(admin);
  for (const { name, durationMs } of applied) console.log(`${name}: ${durationMs} ms`);
  expect(applied.map(({ name }) => name)).toEqual([...Object.keys(changes), backfillFile]);
  const { rows: regions } = await sql`select region, tier, count(*)::int as tenants from tenants group by 1, 2`.execute(
    admin,
  );
  expect(regions).toEqual([{ region: 'eu', tier: 'standard', tenants: tenants + callers }]);
  const { rows: indexes } = await sql`
    select indisvalid, count(*)::int = (select count(*) from pg_inherits where inhparent = 'events'::regclass) as is_everywhere
    from pg_index join pg_inherits on inhparent = indexrelid where indexrelid = 'events_by_type'::regclass group by 1`.execute(
    admin,
  );
  expect(indexes).toEqual([{ indisvalid: true, isEverywhere: true }]);
  const { rows: invalid } = await sql`select indexrelid::regclass from pg_index where not indisvalid`.execute(admin);
  expect(invalid).toEqual([]);
  const { rows: constraints } = await sql`select conname from pg_constraint
    where conname in ('tier_known', 'weight_positive') and conparentid = 0 and convalidated and conislocal order by 1`.execute(
    admin,
  );
  expect(constraints.length).toBeGreaterThanOrEqual(2);
});

test.runIf(isFull)('these files pass the check of migrations', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const { stderr, status } = spawnSync(process.execPath, ['tools/check-migrations.ts', dir], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
