import { sql } from 'kysely';
import type { Backfill, MigrationFile } from './migration-files.ts';
import { inShortTransaction, type Connection, type MigrationRun } from './migration-locks.ts';

/** A batch locks its rows until it commits, so it gets smaller if it takes longer than this. */
const batchMs = 100;
const firstBatchSize = 100;

/** Changes rows in batches. Continues after the last batch that was committed. */
export async function backfill(run: MigrationRun, { name, sql: text }: MigrationFile, mode: Backfill): Promise<void> {
  const statement = text
    .replaceAll(':after', 'backfill_after')
    .replaceAll(':upto', 'backfill_upto')
    .trimEnd()
    .replace(/;$/, '');
  await sql.raw(backfillFunction(mode, statement)).execute(run.connection);
  await sql`insert into migrations.backfills (name) values (${name}) on conflict do nothing`.execute(run.connection);
  const startedAt = Date.now();
  let [batchSize, reportAt] = [Math.min(firstBatchSize, mode.batchSize), Date.now() + reportEveryMs];
  for (;;) {
    const batchStartedAt = Date.now();
    const progress = await inShortTransaction(run, name, (tx, attempt) =>
      runBatch(tx, name, Math.ceil(batchSize / attempt)),
    );
    const now = Date.now();
    batchSize = now - batchStartedAt > batchMs ? Math.ceil(batchSize / 2) : Math.min(batchSize * 2, mode.batchSize);
    const isDone = progress?.tenant == null;
    if (isDone || now > reportAt) {
      reportAt = now + reportEveryMs;
      run.report(`${name}: ${progress?.changed ?? 0} rows changed in ${Math.round((now - startedAt) / 1_000)} s`);
    }
    if (isDone) return;
  }
}
const reportEveryMs = 30_000;

/**
 * Row-level security also applies to the owner of the tables, so the rows are changed tenant by tenant. A server-side loop,
 * because a round trip per tenant takes too long with a million of them. Stops after a number of rows or of tenants.
 * The variables that are used next to columns are called `backfill_…`, as no column is.
 */
const backfillFunction = ({ table, key }: Backfill, statement: string) => `
  create or replace function pg_temp.backfill(inout tenant text, inout last_key text, inout changed bigint, max_rows int)
  language plpgsql as $function$
  #variable_conflict use_column
  declare
    visited int := 0;
    seen int := 0;
    selected int;
    affected int;
    backfill_tenant text;
    backfill_after text;
    backfill_upto text;
    backfill_rows int;
  begin
    loop
      perform set_config('app.tenant_id', tenant, true);
      backfill_after := last_key;
      backfill_rows := max_rows - seen;
      select count(*), max(batch.${key}) into selected, backfill_upto from (
        select ${key} from ${table} where ${key} > backfill_after order by ${key} limit backfill_rows) as batch;
      if selected > 0 then
        ${statement}
        ;
        get diagnostics affected = row_count;
        changed := changed + affected;
        seen := seen + selected;
        last_key := backfill_upto;
      end if;
      exit when seen >= max_rows;
      backfill_tenant := tenant;
      tenant := ${isTenantTable(table) ? nextTenant : 'null'};
      last_key := '';
      visited := visited + 1;
      exit when tenant is null or visited >= 5000;
    end loop;
  end $function$`;
const nextTenant =
  '(select tenant_id from directory.tenants where tenant_id > backfill_tenant order by tenant_id limit 1)';

/** Those in other schemas are not protected by row-level security. */
const isTenantTable = (table: string) => !table.includes('.') || table.startsWith('public.');

interface Progress {
  /** null: the last tenant is done. */
  tenant: string | null;
  lastKey: string;
  changed: string;
}

/** The progress is stored in the transaction of the batch, so an interrupted backfill neither skips nor repeats one. */
async function runBatch(tx: Connection, name: string, batchSize: number): Promise<Progress | undefined> {
  const stored = await sql<Progress>`
    select tenant, last_key as "lastKey", changed from migrations.backfills where name = ${name}`.execute(tx);
  const [from] = stored.rows;
  if (from?.tenant == null) return from;
  const { rows } = await sql<Progress>`
    select tenant, last_key as "lastKey", changed
    from pg_temp.backfill(${from.tenant}, ${from.lastKey}, ${from.changed}, ${batchSize})`.execute(tx);
  const [to] = rows;
  await sql`update migrations.backfills set tenant = ${to?.tenant}, last_key = ${to?.lastKey}, changed = ${to?.changed}
    where name = ${name}`.execute(tx);
  return to;
}
