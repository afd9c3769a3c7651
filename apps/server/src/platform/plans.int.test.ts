import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { aTenant, services, urlAs } from '../../test/harness.ts';
import { asSystem, inTenant, type Services } from './context.ts';
import { connect } from './db.ts';
import { enterPool, inPool } from './pool.ts';
import { prepared } from './prepared.ts';

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
      const mine = await ask.execute(prepared(tx));
      await enterPool(tx, 'customer', (pool) => ask.execute(pool));
      await ask.execute(prepared(tx));
      return mine.rows;
    });
    await inPool(db, 'admin', (pool) => ask.execute(pool));
    expect(columnsOf(own)).toContain('tenantId');
    columnSets.add(columnsOf(own).join());
  }
  expect(columnSets.size).toBe(1);
  // @ts-expect-error the compiler rejects statements on the tables of a pool
  const preparePool = () => inPool(db, 'admin', (pool) => ask.execute(prepared(pool)));
  expect(preparePool).toBeTypeOf('function');
});

test('prepares each kind of statement once, and only where it is marked', async () => {
  const tenant = await aTenant();
  await using db = connect(urlAs('parley_app'), { max: 1 });
  await inTenant({ ...services, db }, asSystem(tenant.tenantId, 'test'), async ({ tx }) => {
    for (const id of ['one', 'two']) {
      for (const on of [tx, prepared(tx)]) {
        await on.insertInto('reservations').values({ id, period: '2026-01-01', names: [], micros: 1 }).execute();
        await on.selectFrom('reservations').select('id').where('id', '=', id).limit(1).forUpdate().execute();
        await on.updateTable('reservations').set({ micros: 2 }).where('id', '=', id).execute();
        await on.deleteFrom('reservations').where('id', '=', id).returning('id').execute();
        await sql`select ${id}::text`.execute(on);
      }
    }
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx);
    expect(rows.map(({ statement }) => /(?:delete|insert|select|update)/.exec(statement)?.[0] ?? '').sort()).toEqual([
      'delete',
      'insert',
      'select',
      'select',
      'update',
    ]);
  });
});
