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
  { timeout: 30_000 + rounds * 2_000 },
  async () => {
    console.log(`pool: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const homes = await Promise.all(Array.from({ length: 20 }, () => aTenant()));
    const { totals, problems } = await interleave({
      services: { ...services, db, wakeRelay: () => {} },
      admin,
      homes,
      times: transactions,
      atOnce: 16,
      random: randomFrom(seed),
    });
    const all = Object.values(totals).reduce((sum, n) => sum + n, 0);
    console.log(`pool: ${all} transactions, ${problems.length} problems`, JSON.stringify(totals, null, 2));
    expect(problems).toEqual([]);
    expect(all).toBe(transactions);
    for (const connection of await everyConnection(db)) expect(connection).toEqual({ setting: '', rows: '0' });
  },
);

test('a query that timed out here and still runs there never lends its open transaction to the next one', async () => {
  const [first, second] = [await aTenant(), await aTenant()];
  const small = connect(`${urlAs('parley_app')}?query_timeout=200`, { max: 1 });
  const here = { ...services, db: small };
  const rename = (tenantId: typeof first.tenantId, name: string) =>
    inTenant(here, asSystem(tenantId, 'test'), async ({ tx }) => {
      await tx.updateTable('workspaces').set({ name }).execute();
      await tx.updateTable('tenants').set({ name }).execute();
    });
  // Another holds the first tenant's row for longer than the query and its rollback wait.
  const letGo = Promise.withResolvers<void>();
  const holder = admin.transaction().execute(async (tx) => {
    await tx.selectFrom('tenants').select('name').where('tenantId', '=', first.tenantId).forUpdate().execute();
    await letGo.promise;
  });
  await expect(rename(first.tenantId, 'failed')).rejects.toThrow();
  letGo.resolve();
  await holder;
  await rename(second.tenantId, 'renamed');
  await small.destroy();
  const names = admin.selectFrom('workspaces').select(['tenantId', 'name']);
  const of = (tenantId: string) => names.where('tenantId', '=', tenantId).executeTakeFirstOrThrow();
  expect((await of(second.tenantId)).name).toBe('renamed');
  expect((await of(first.tenantId)).name, 'it was told that it failed').toBe('Default');
});

/** What each pooled connection shows outside a transaction: all are held at once, so that none is asked twice. */
async function everyConnection(db: Db) {
  let held = 0;
  const look = sql<{ pid: number; setting: string; rows: string }>`
    select pg_backend_pid() as pid, coalesce(current_setting('app.tenant_id', true), '') as setting,
      (select count(*) from workspaces) + (select count(*) from tenants) as rows`;
  const seen = await Promise.all(
    Array.from({ length: poolSize }, () =>
      db.connection().execute(async (connection) => {
        held++;
        while (held < poolSize) await sleep(1);
        return (await look.execute(connection)).rows;
      }),
    ),
  );
  const rows = seen.flat();
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(poolSize);
  return rows.map(({ setting, rows: found }) => ({ setting, rows: found }));
}
