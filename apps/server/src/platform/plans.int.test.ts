import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { aTenant, services, urlAs } from '../../test/harness.ts';
import { asSystem, inTenant, type Services } from './context.ts';
import { connect } from './db.ts';
import { enterPool, inPool } from './pool.ts';

test('prepared statements do not mix up tables of the tenant schema and the two pool schemas', async () => {
  const tenant = await aTenant();
  await using db = connect(urlAs('parley_app'), { max: 1 }); // all statements run on one connection
  const here: Services = { ...services, db };
  const ask = sql<
    Record<string, unknown>
  >`select * from audit_entries where id <> ${'none'} order by id desc limit ${1}`;
  const columnsOf = (rows: Record<string, unknown>[]) => Object.keys(rows[0] ?? {}).sort();
  const caller = asSystem(tenant.tenantId, 'test');
  const columnSets = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const own = await inTenant(here, caller, async ({ tx }) => {
      const mine = await ask.execute(tx);
      await enterPool(tx, 'customer', (pool) => ask.execute(pool));
      await ask.execute(tx);
      return mine.rows;
    });
    await inPool(db, 'admin', (pool) => ask.execute(pool));
    expect(columnsOf(own)).toContain('tenantId');
    columnSets.add(columnsOf(own).join());
  }
  expect(columnSets.size).toBe(1);
});
