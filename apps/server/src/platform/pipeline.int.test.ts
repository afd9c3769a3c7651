import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { aTenant, admin, services, urlAs } from '../../test/harness.ts';
import { countFlights } from '../../test/flights.ts';
import { asSystem, inTenant, withoutBindings } from './context.ts';
import { connect, later, transact, type Tx } from './db.ts';
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
const reading = <T>(work: Parameters<typeof inTenant<T>>[2], caller = asSystem(tenant.tenantId, 'test')) =>
  inTenant({ ...services, db }, caller, work, { readOnly: true });
const select = (value: string) => sql<{ value: string }>`select ${value}::text as value`;
const addBot = (tx: Tx, id: string, workspaceId = tenant.workspaceId) =>
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
      for (const id of ids) later(tx, addBot(tx, id));
    }),
  );
  expect(flights).toBe(1);
  for (const id of ids) expect(await findBot(id)).toEqual({ id });
});

it('a failed write that was not awaited fails the transaction, with its own error, and nothing is stored', async () => {
  const [first, second] = [newId('bot'), newId('bot')];
  const failing = inside(async ({ tx }) => {
    later(tx, addBot(tx, first));
    later(tx, addBot(tx, second, newId('workspace')));
  });
  await expect(failing).rejects.toMatchObject({ constraint: 'workspace_exists' });
  expect(await findBot(first)).toBeUndefined();

  const readingOn = inside(async ({ tx }) => {
    later(tx, addBot(tx, second, newId('workspace')));
    await select('a').execute(tx); // rejected by PostgreSQL because of the statement before it
  });
  await expect(readingOn).rejects.toMatchObject({ constraint: 'workspace_exists' });
});

it('a write that was not awaited and could not even be sent fails the transaction, and nothing is stored', async () => {
  const id = newId('bot');
  const unsendable: Record<string, unknown> = {};
  unsendable['self'] = unsendable;
  const failing = inside(async ({ tx }) => {
    later(tx, addBot(tx, id));
    later(tx, sql`select ${unsendable}::jsonb`.execute(tx));
  });
  await expect(failing).rejects.toThrow('circular');
  expect(await findBot(id)).toBeUndefined();
});

it('a write that fails before its statement fails the transaction, and nothing is stored', async () => {
  const id = newId('bot');
  const broken = async () => {
    throw new Error('fails on purpose');
  };
  const failing = inside(async ({ tx }) => {
    await addBot(tx, id);
    later(tx, broken());
  });
  await expect(failing).rejects.toThrow('fails on purpose');
  expect(await findBot(id)).toBeUndefined();
});

it('a write of two statements, one after the other, is reported: the commit is sent between them', async () => {
  const [first, second] = [newId('bot'), newId('bot')];
  const addBoth = async (tx: Tx) => {
    await addBot(tx, first);
    await addBot(tx, second);
  };
  await expect(inside(async ({ tx }) => later(tx, addBoth(tx)))).rejects.toThrow('after the end of its transaction');
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
  await expect(transact(db, opening, async (tx) => later(tx, addBot(tx, id)))).rejects.toMatchObject({ code: '22023' });
  expect(await findBot(id)).toBeUndefined();
});

it('reading takes one round trip for the statements that start together, with the beginning and the commit', async () => {
  const one = await proxy.during(() => reading(({ tx }) => select('a').execute(tx)));
  expect(one).toMatchObject({ flights: 1, result: { rows: [{ value: 'a' }] } });
  const two = await proxy.during(() =>
    reading(({ tx }) => Promise.all([select('a').execute(tx), Promise.resolve().then(() => select('b').execute(tx))])),
  );
  expect(two.flights).toBe(1);
  const inTurn = await proxy.during(() =>
    reading(async ({ tx }) => {
      const { id } = await tx.selectFrom('bots').select('id').limit(1).executeTakeFirstOrThrow();
      return tx.selectFrom('bots').select(['id', 'tenantId']).where('id', '=', id).execute();
    }),
  );
  expect(inTurn.flights).toBeLessThanOrEqual(2); // the second statement may be sent before the first commit is read
  expect(inTurn.result).toMatchObject([{ tenantId: tenant.tenantId }]); // the second transaction has the tenant, too
  expect((await proxy.during(() => reading(async () => 'nothing'))).flights).toBe(0);
});

it('after reading, the connection has neither the tenant nor the role of a bound key, also after a failed statement', async () => {
  const bindings = { workspaceId: tenant.workspaceId, botId: null, environmentId: null };
  const bound = { ...asSystem(tenant.tenantId, 'test'), bindings };
  const settings = sql<{ tenant: string; role: string }>`
    select current_setting('app.tenant_id', true) as tenant, current_user as role`;
  expect((await reading(({ tx }) => settings.execute(tx), bound)).rows).toEqual([
    { tenant: tenant.tenantId, role: 'parley_bound' },
  ]);
  const after = { tenant: '', role: 'parley_app' };
  expect((await settings.execute(db)).rows).toEqual([after]);
  const failing = reading(({ tx }) => Promise.all([sql`select 1 / 0`.execute(tx), select('a').execute(tx)]), bound);
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect((await settings.execute(db)).rows).toEqual([after]);
});

it('a setting that reading changes lasts until it is changed back', async () => {
  const bindings = { workspaceId: newId('workspace'), botId: null, environmentId: null };
  const countBots = (tx: Tx) => tx.selectFrom('bots').select('id').execute();
  const seen = await reading(
    async (ctx) => [
      await countBots(ctx.tx),
      await withoutBindings(ctx, async () => [...(await countBots(ctx.tx)), ...(await countBots(ctx.tx))]),
      await countBots(ctx.tx),
    ],
    { ...asSystem(tenant.tenantId, 'test'), bindings },
  );
  const all = await inside(({ tx }) => countBots(tx));
  expect(all.length).toBeGreaterThan(0);
  expect(seen).toEqual([[], [...all, ...all], []]);
});

it('a statement after the end of its transaction is not sent', async () => {
  for (const run of [inside, reading]) {
    const tx = await run(async (ctx) => ({ leaked: ctx.tx }));
    await expect(select('late').execute(tx.leaked)).rejects.toThrow('after the end of its transaction');
  }
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
  await expect(continuing).rejects.toThrow('after the end of its transaction');
  expect(await findBot(id)).toBeUndefined();
});

it('the connection is usable after each of these', async () => {
  expect((await inside(({ tx }) => select('still').execute(tx))).rows).toEqual([{ value: 'still' }]);
});
