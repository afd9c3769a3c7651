import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { connect, type Db } from '../../src/platform/db.ts';
import { admin, aTenant, services, urlAs } from '../harness.ts';
import { interleave } from './interleave.ts';
import { randomFrom, rounds, seed } from './random.ts';

const poolSize = 4;
const db = connect(urlAs('parley_app'), { max: poolSize });
afterAll(() => db.destroy());

const transactions = rounds * 200;

test(
  `${transactions} interleaved transactions on a pool of ${poolSize} with aborts, timeouts and killed backends show no foreign row`,
  { timeout: 30_000 + rounds * 5_000 },
  async () => {
    console.log(`pool: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const homes = await Promise.all(Array.from({ length: 20 }, () => aTenant()));
    const { totals, problems } = await interleave({
      services: { ...services, db, wakeRelay: () => {} },
      admin,
      homes,
      times: transactions,
      concurrency: 16,
      random: randomFrom(seed),
    });
    const all = Object.values(totals).reduce((sum, n) => sum + n, 0);
    console.log(`pool: ${all} transactions, ${problems.length} problems`, JSON.stringify(totals, null, 2));
    expect(problems).toEqual([]);
    expect(all).toBe(transactions);
    for (const connection of await everyConnection(db)) expect(connection).toEqual({ setting: '', rows: '0' });
  },
);

test('a query that times out on the client never leaves its open transaction to the next one', async () => {
  const [first, second] = [await aTenant(), await aTenant()];
  const small = connect(`${urlAs('parley_app')}?query_timeout=200`, { max: 1 });
  const here = { ...services, db: small };
  const rename = (tenantId: typeof first.tenantId, name: string) =>
    inTenant(here, asSystem(tenantId, 'test'), async ({ tx }) => {
      await tx.updateTable('workspaces').set({ name }).execute();
      await tx.updateTable('tenants').set({ name }).execute();
    });
  // Another transaction locks the first tenant's row for longer than the query and its rollback wait.
  const release = Promise.withResolvers<void>();
  const holder = admin.transaction().execute(async (tx) => {
    await tx.selectFrom('tenants').select('name').where('tenantId', '=', first.tenantId).forUpdate().execute();
    await release.promise;
  });
  await expect(rename(first.tenantId, 'failed')).rejects.toThrow();
  release.resolve();
  await holder;
  await rename(second.tenantId, 'renamed');
  await small.destroy();
  const names = admin.selectFrom('workspaces').select(['tenantId', 'name']);
  const of = (tenantId: string) => names.where('tenantId', '=', tenantId).executeTakeFirstOrThrow();
  expect((await of(second.tenantId)).name).toBe('renamed');
  expect((await of(first.tenantId)).name, 'the caller got an error').toBe('Default');
});

/** The state of each pooled connection outside a transaction: all are taken at the same time, so that none is read twice. */
async function everyConnection(db: Db) {
  let taken = 0;
  const query = sql<{ pid: number; setting: string; rows: string }>`
    select pg_backend_pid() as pid, coalesce(current_setting('app.tenant_id', true), '') as setting,
      (select count(*) from workspaces) + (select count(*) from tenants) as rows`;
  const results = await Promise.all(
    Array.from({ length: poolSize }, () =>
      db.connection().execute(async (connection) => {
        taken++;
        while (taken < poolSize) await sleep(1);
        return (await query.execute(connection)).rows;
      }),
    ),
  );
  const rows = results.flat();
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(poolSize);
  return rows.map(({ setting, rows: found }) => ({ setting, rows: found }));
}
