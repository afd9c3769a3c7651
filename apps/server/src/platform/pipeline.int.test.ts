import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { aTenant, admin, services, urlAs } from '../../test/harness.ts';
import { countFlights } from '../../test/flights.ts';
import { asSystem, inTenant } from './context.ts';
import { connect, later, transact } from './db.ts';
import { newId } from './ids.ts';

const proxy = await countFlights(urlAs('parley_app'));
const db = connect(proxy.url, { max: 1 });
await sql`select 1`.execute(db); // connects
afterAll(async () => {
  await db.destroy();
  proxy.close();
});

const tenant = await aTenant();
const inside = <T>(work: Parameters<typeof inTenant<T>>[2]) =>
  inTenant({ ...services, db }, asSystem(tenant.tenantId, 'test'), work);
const select = (value: string) => sql<{ value: string }>`select ${value}::text as value`;
const addBot = (tx: Parameters<Parameters<typeof transact>[2]>[0], id: string, workspaceId = tenant.workspaceId) =>
  tx.insertInto('bots').values({ id, workspaceId, name: id }).execute();
const findBot = (id: string) => admin.selectFrom('bots').select('id').where('id', '=', id).executeTakeFirst();

it('the beginning of a transaction travels with its first statement, and independent statements travel together', async () => {
  const one = await proxy.during(() => inside(({ tx }) => select('a').execute(tx)));
  expect(one).toMatchObject({ flights: 2, result: { rows: [{ value: 'a' }] } }); // the second one commits
  const three = await proxy.during(() =>
    inside(({ tx }) => Promise.all(['a', 'b', 'c'].map((value) => select(value).execute(tx)))),
  );
  expect(three.flights).toBe(2);
  expect(three.result.flatMap(({ rows }) => rows.map(({ value }) => value))).toEqual(['a', 'b', 'c']);
});

it('writes whose result nobody needs travel with the commit', async () => {
  const ids = [newId('bot'), newId('bot')];
  const { flights } = await proxy.during(() =>
    inside(async ({ tx }) => {
      for (const id of ids) later(addBot(tx, id));
    }),
  );
  expect(flights).toBe(1);
  for (const id of ids) expect(await findBot(id)).toEqual({ id });
});

it('a failed write that was not awaited fails the transaction, with its own error, and nothing is stored', async () => {
  const [first, second] = [newId('bot'), newId('bot')];
  const failing = inside(async ({ tx }) => {
    later(addBot(tx, first));
    later(addBot(tx, second, newId('workspace')));
  });
  await expect(failing).rejects.toMatchObject({ constraint: 'workspace_exists' });
  expect(await findBot(first)).toBeUndefined();

  const readingOn = inside(async ({ tx }) => {
    later(addBot(tx, second, newId('workspace')));
    await select('a').execute(tx); // rejected by PostgreSQL because of the statement before it
  });
  await expect(readingOn).rejects.toMatchObject({ constraint: 'workspace_exists' });
});

it('an error that the code catches does not turn into a silent rollback', async () => {
  const id = newId('bot');
  const swallowing = inside(async ({ tx }) => {
    await addBot(tx, id);
    await sql`select 1 / 0`.execute(tx).catch(() => {});
  });
  await expect(swallowing).rejects.toMatchObject({ code: '22012' });
  expect(await findBot(id)).toBeUndefined();
});

it('a transaction that cannot begin as asked runs no statement', async () => {
  const id = newId('bot');
  const opening = `begin; set local app.tenant_id = '${tenant.tenantId}'; set local role nobody_has_this_role`;
  await expect(transact(db, opening, (tx) => addBot(tx, id))).rejects.toMatchObject({ code: '22023' });
  await expect(transact(db, opening, async (tx) => later(addBot(tx, id)))).rejects.toMatchObject({ code: '22023' });
  expect(await findBot(id)).toBeUndefined();
});

it('a branch that continues after another one has failed cannot send anything outside of the transaction', async () => {
  const id = newId('bot');
  let continuing: Promise<unknown> = Promise.resolve();
  const failing = inside(async ({ tx }) => {
    continuing = select('a')
      .execute(tx)
      .then(() => addBot(tx, id));
    await Promise.all([continuing, Promise.reject(new Error('fails on purpose'))]);
  });
  await expect(failing).rejects.toThrow('fails on purpose');
  await expect(continuing).rejects.toThrow('the transaction is over');
  expect(await findBot(id)).toBeUndefined();
});

it('the connection is usable after each of these', async () => {
  expect((await inside(({ tx }) => select('still').execute(tx))).rows).toEqual([{ value: 'still' }]);
});
