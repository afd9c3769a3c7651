import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { DatabaseError } from 'pg';

export type Connection = Kysely<unknown>;

export interface MigrationRun {
  /** Runs the migrations, and holds the lock against other migrators. */
  connection: Connection;
  /** The process of this connection in PostgreSQL. */
  pid: number;
  /** Other connections, to see who waits for the first one. */
  db: Connection;
  /** Progress, one line at a time. */
  report: (line: string) => void;
}

/** How long requests wait at most: behind a lock that a migration waits for, or for one that it has. */
const maxWaitMs = 500;
/** How long to keep trying. */
const giveUpMs = 10 * 60_000;

/**
 * Runs a transaction that other transactions may have to wait for. It is rolled back and repeated later if a lock that it
 * needs is not free, or if someone has waited for it for too long.
 */
export async function inShortTransaction<T>(
  run: MigrationRun,
  name: string,
  work: (tx: Connection, attempt: number) => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + giveUpMs;
  for (let attempt = 1; ; attempt++) {
    const watch = watchWaiters(run);
    try {
      return await run.connection.transaction().execute(async (tx) => {
        if (attempt > 1) await interruptAutovacuum(tx);
        await setLockTimeout(tx, maxWaitMs);
        return work(tx, attempt);
      });
    } catch (error) {
      const isStopped = (await watch.end()) && codeOf(error) === queryCanceled;
      if (!isStopped && codeOf(error) !== lockNotAvailable) throw error;
      if (Date.now() > giveUpAt)
        throw new Error(`${name} was stopped again and again, because requests would have to wait for it.`, {
          cause: error,
        });
      if (attempt === 1)
        run.report(
          isStopped
            ? `${name}: requests had to wait. Trying again.`
            : `${name}: a table is in use. Trying again until it is free.`,
        );
    } finally {
      await watch.end();
    }
    await sleep(Math.min(250 * attempt, 5_000) * (0.5 + Math.random()));
  }
}

/** Runs a statement that no request waits for, such as `create index concurrently`. It waits for older transactions. */
export async function outsideTransaction({ connection }: MigrationRun, statement: string): Promise<void> {
  await setLockTimeout(connection, giveUpMs);
  await sql.raw(statement).execute(connection);
}

const lockNotAvailable = '55P03';
const queryCanceled = '57014';
const codeOf = (error: unknown) => (error instanceof DatabaseError ? error.code : undefined);

const setLockTimeout = (db: Connection, ms: number) =>
  sql`select set_config('lock_timeout', ${`${ms}ms`}, ${db.isTransaction})`.execute(db);

/**
 * Cancels the statement of the migration when someone has waited for it for too long. A lock timeout alone is not enough: it
 * counts for each lock, and a statement can take many or run for long after it has them.
 */
function watchWaiters({ db, pid, report }: MigrationRun) {
  const ending = new AbortController();
  let hasStopped = false;
  const watching = (async () => {
    for (;;) {
      await sleep(50, undefined, { signal: ending.signal });
      const { rows } = await sql`
        select pg_cancel_backend(${pid}) from (
          select pid from pg_locks
          where not granted and waitstart < clock_timestamp() - ${maxWaitMs} * interval '1 ms' offset 0) as waiting
        where ${pid} = any (pg_blocking_pids(pid)) limit 1`.execute(db);
      hasStopped ||= rows.length > 0;
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) report(`Could not check whether requests wait: ${String(error)}`);
  });
  return {
    /** Returns whether it has cancelled the statement. */
    end: async () => {
      ending.abort();
      await watching;
      return hasStopped;
    },
  };
}

/**
 * Autovacuum makes way for those who have waited for its table for a second (`deadlock_timeout`), which is longer than
 * requests may wait behind us. So we wait with a lock that does not conflict with requests, and keep autovacuum out with it.
 */
async function interruptAutovacuum(tx: Connection): Promise<void> {
  await setLockTimeout(tx, 5_000);
  const { rows } = await sql<{ name: string }>`
    select distinct coalesce(pg_partition_root(relation), relation)::regclass::text as name
    from pg_locks join pg_class on pg_class.oid = relation
    where locktype = 'relation' and mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and relkind in ('r', 'p') and relowner = current_user::regrole order by 1`.execute(tx);
  for (const { name } of rows) await sql.raw(`lock table ${name} in share update exclusive mode`).execute(tx);
}
