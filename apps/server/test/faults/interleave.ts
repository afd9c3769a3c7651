import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from '../../src/platform/context.ts';
import type { Db, Tx } from '../../src/platform/db.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Random } from './random.ts';

export interface TestHome {
  tenantId: Id<'tenant'>;
  workspaceId: string;
}

interface InterleaveDeps {
  services: Services;
  /** A superuser, on its own connections: it cancels and kills. */
  admin: Db;
  homes: readonly TestHome[];
  times: number;
  concurrency: number;
  random: Random;
}

/** Runs transactions of many tenants on few connections, most of which fail. Returns counts and problems. */
export async function interleave({ services, admin, homes, times, concurrency, random }: InterleaveDeps) {
  const totals: Record<string, number> = {};
  const problems: string[] = [];
  const committed = new Set<string>();
  const unsure = new Set<string>(); // its backend was killed, possibly during the commit
  const count = (kind: string) => (totals[kind] = (totals[kind] ?? 0) + 1);

  async function one(n: number) {
    const home = random.pick(homes);
    const other = random.pick(homes.filter(({ tenantId }) => tenantId !== home.tenantId));
    const [kind, ending] = random.pick(weighted);
    const name = `${home.tenantId}/${n}`;
    const run = () =>
      inTenant(
        services,
        asSystem(home.tenantId, 'test'),
        async (ctx) => {
          await readOwn(ctx, kind === 'read' ? [...tables, ...partitioned] : tables);
          if (kind === 'read') return;
          await ending({ ctx, home, other, name, admin });
          await readOwn(ctx).catch((error: unknown) => {
            if (kind !== 'error swallowed') throw error;
          });
        },
        { readOnly: kind === 'read' || kind === 'write in a read-only transaction' },
      );
    const outcome = await run().then(
      () => 'committed',
      (error: unknown) => error as Error & { code?: string },
    );
    const expected = expectedOutcomes[kind];
    if (outcome === 'committed') {
      if (kind === 'write') committed.add(name);
      if (expected !== 'committed') problems.push(`${kind}: committed`);
      count(kind);
    } else if (typeof outcome === 'object') {
      if (outcome instanceof ForeignRows) problems.push(`${kind}: ${outcome.message}`);
      const detail = `${outcome.code ?? ''} ${outcome.message}`;
      if (expected !== 'committed' && expected.test(detail)) count(kind);
      else if (isDisconnect.test(detail)) {
        count('interrupted by another kill');
        unsure.add(name);
      } else problems.push(`${kind}: ${detail}`);
    }
    await checkOutside(kind);
  }

  /** Outside a transaction a pooled connection has no tenant, whatever it was used for before. */
  async function checkOutside(after: string) {
    const query = sql<{ setting: string | null; rows: string }>`
      select current_setting('app.tenant_id', true) as setting, (select count(*) from workspaces) as rows`;
    const found = await query.execute(services.db).catch((error: Error & { code?: string }) => {
      if (!isDisconnect.test(`${error.code ?? ''} ${error.message}`))
        problems.push(`outside after ${after}: ${error.message}`);
    });
    const row = found?.rows[0];
    if (row && (row.setting || row.rows !== '0')) problems.push(`outside after ${after}: ${JSON.stringify(row)}`);
  }

  let next = 0;
  const worker = async () => {
    for (let n = next++; n < times; n = next++) await one(n);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));

  // Committed rows exist, and rows of failed transactions do not.
  const rows = await admin.selectFrom('workspaces').select(['tenantId', 'name']).where('name', 'like', '%/%').execute();
  for (const { tenantId, name } of rows) {
    if (!name.startsWith(`${tenantId}/`)) problems.push(`${name} is stored in ${tenantId}`);
    if (!committed.delete(name) && !unsure.has(name)) problems.push(`${name} failed, but is stored`);
  }
  for (const name of committed) problems.push(`${name} was committed, but is missing`);
  return { totals, problems };
}

class ForeignRows extends Error {}
const isDisconnect = /57P01|08P01|ECONNRESET|EPIPE|Connection terminated|not queryable/;

const tables = ['tenants', 'workspaces', 'environments', 'bots', 'memberships'];
const partitioned = ['events', 'audit_entries']; // slow to plan: only some transactions read them

/** Reads every table in which each test tenant has rows, and fails on any row of another tenant. */
async function readOwn({ tx, tenantId }: Context, from = tables) {
  const everything = sql.join(
    from.map((table) => sql`select tenant_id from ${sql.table(table)}`),
    sql` union all `,
  );
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id from (${everything}) as everything group by tenant_id`.execute(tx);
  const foreign = rows.filter((row) => row.tenantId !== tenantId);
  if (foreign.length > 0) throw new ForeignRows(`${tenantId} saw rows of ${foreign.map((row) => row.tenantId).join()}`);
  if (rows.length === 0) throw new ForeignRows(`${tenantId} did not see its own`);
}

interface CaseContext {
  ctx: Context;
  home: TestHome;
  other: TestHome;
  name: string;
  admin: Db;
}
type TransactionCase = (context: CaseContext) => Promise<unknown>;

const insert = (tx: Tx, name: string, more: { tenantId?: string } = {}) =>
  tx
    .insertInto('workspaces')
    .values({ id: newId('workspace'), name, ...more })
    .execute();

const backendOf = async (tx: Tx) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid ?? 0;

/** Runs pg_sleep, and acts on its backend only once the query is seen running. */
async function duringSleep({ ctx, admin }: CaseContext, action: 'pg_cancel_backend' | 'pg_terminate_backend') {
  const pid = await backendOf(ctx.tx);
  const sleeping = sql`select pg_sleep(5)`.execute(ctx.tx);
  const interrupt = async () => {
    for (let attempts = 0; attempts < 1_000; attempts++) {
      const { rows } = await sql`select ${sql.raw(action)}(pid) from pg_stat_activity
        where pid = ${pid} and state = 'active' and query = 'select pg_sleep(5)'`.execute(admin);
      if (rows.length > 0) return;
      await sleep(1);
    }
  };
  await Promise.all([sleeping, interrupt()]);
}

async function whileIdle({ ctx, admin }: CaseContext) {
  const pid = await backendOf(ctx.tx);
  await sql`select pg_terminate_backend(${pid}, 5000)`.execute(admin); // waits for the exit
}

/** Kills the backend of another transaction, in whatever state it is. */
const killAnother = async ({ ctx, admin }: CaseContext) =>
  sql`select pg_terminate_backend(pid) from (
    select pid from pg_stat_activity where datname = current_database() and usename = 'parley_app'
      and pid <> ${await backendOf(ctx.tx)} order by random() limit 1) as victim`.execute(admin);

/** Attempts to reach another tenant's rows. Row-level security hides rows, or aborts the transaction. */
async function reachAcross({ ctx: { tx }, home, other, name }: CaseContext) {
  const theirs = { tenantId: other.tenantId, id: other.workspaceId };
  const found = await tx.selectFrom('workspaces').select('id').where('tenantId', '=', theirs.tenantId).execute();
  const byId = await tx.selectFrom('workspaces').select('id').where('id', '=', theirs.id).execute();
  const renamed = await tx.updateTable('workspaces').set({ name }).where('id', '=', theirs.id).executeTakeFirst();
  const deleted = await tx.deleteFrom('bots').where('tenantId', '=', theirs.tenantId).executeTakeFirst();
  if (found.length + byId.length > 0 || renamed.numUpdatedRows > 0n || deleted.numDeletedRows > 0n)
    throw new ForeignRows(`${home.tenantId} reached rows of ${other.tenantId}`);
}

const cases = {
  read: async () => {},
  write: ({ ctx, name }) => insert(ctx.tx, name),
  'write in a read-only transaction': ({ ctx, name }) => insert(ctx.tx, name),
  'throw in the middle': async ({ ctx, name }) => {
    await insert(ctx.tx, name);
    throw new Error('thrown on purpose');
  },
  'failed statement': async ({ ctx, home, name }) => {
    await insert(ctx.tx, name);
    await ctx.tx
      .insertInto('workspaces')
      .values({ id: home.workspaceId, name: `${name} again` })
      .execute();
  },
  'error upon error': async ({ ctx, home, name }) => {
    await insert(ctx.tx, name);
    const twice = ctx.tx.insertInto('workspaces').values({ id: home.workspaceId, name: `${name} again` });
    await twice.execute().catch(() => insert(ctx.tx, `${name} instead`));
  },
  'error swallowed': async ({ ctx, home, name }) => {
    await insert(ctx.tx, name);
    const twice = ctx.tx.insertInto('workspaces').values({ id: home.workspaceId, name: `${name} again` });
    await twice.execute().catch(() => {});
  },
  'statement timeout': async ({ ctx, name }) => {
    await insert(ctx.tx, name);
    await sql`set local statement_timeout = '5ms'`.execute(ctx.tx);
    await sql`select pg_sleep(5)`.execute(ctx.tx);
  },
  'cancelled query': async (context) => {
    await insert(context.ctx.tx, context.name);
    await duringSleep(context, 'pg_cancel_backend');
  },
  'backend killed in a query': async (context) => {
    await insert(context.ctx.tx, context.name);
    await duringSleep(context, 'pg_terminate_backend');
  },
  'backend killed between queries': async (context) => {
    await insert(context.ctx.tx, context.name);
    await whileIdle(context);
  },
  'backend of another killed': killAnother,
  "reach for another tenant's rows": reachAcross,
  "insert another tenant's row": ({ ctx, other, name }) => insert(ctx.tx, name, { tenantId: other.tenantId }),
  'give a row to another tenant': ({ ctx, home, other }) =>
    ctx.tx.updateTable('workspaces').set({ tenantId: other.tenantId }).where('id', '=', home.workspaceId).execute(),
} satisfies Record<string, TransactionCase>;
export type Kind = keyof typeof cases;

/** How each must end: committed, or with this error. */
const expectedOutcomes: Record<Kind, 'committed' | RegExp> = {
  read: 'committed',
  write: 'committed',
  'write in a read-only transaction': /^25006 /,
  'throw in the middle': /thrown on purpose/,
  'failed statement': /^23505 /,
  'error upon error': /^23505 /, // the first error, not that of the statement after it
  'error swallowed': /^23505 /, // PostgreSQL turns COMMIT into ROLLBACK without an error: nothing may be stored
  'statement timeout': /^57014 /,
  'cancelled query': /^57014 /,
  'backend killed in a query': isDisconnect,
  'backend killed between queries': isDisconnect,
  'backend of another killed': 'committed',
  "reach for another tenant's rows": 'committed',
  "insert another tenant's row": /^42501 /,
  'give a row to another tenant': /^42501 /,
};

const weights: Record<Kind, number> = {
  read: 25,
  write: 25,
  'write in a read-only transaction': 2,
  'throw in the middle': 8,
  'failed statement': 6,
  'error upon error': 4,
  'error swallowed': 4,
  'statement timeout': 5,
  'cancelled query': 4,
  'backend killed in a query': 2,
  'backend killed between queries': 2,
  'backend of another killed': 2,
  "reach for another tenant's rows": 6,
  "insert another tenant's row": 4,
  'give a row to another tenant': 3,
};
const weighted = Object.entries(weights).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, (): [Kind, TransactionCase] => [kind as Kind, cases[kind as Kind]]),
);
