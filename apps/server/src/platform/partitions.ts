import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './db.ts';

/**
 * Creates the partitions of the next days and drops expired ones: one table per transaction, creating before dropping, so
 * that a table in use delays neither the others nor the partitions that new rows will need. Throws at the end if any failed.
 */
export async function maintainPartitions(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select directory.partitioned_table_names() as name`.execute(db);
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<unknown>) => retryLocked(work).catch((error: unknown) => failures.push(error));
  for (const { name } of rows) await attempt(() => sql`select directory.ensure_partitions(${name})`.execute(db));
  for (const { name } of rows) await attempt(() => dropExpired(db, name));
  if (failures.length > 0) throw new AggregateError(failures, 'creating or dropping partitions failed');
}

async function dropExpired(db: Db, name: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isDropped: boolean }>`
      select directory.drop_expired_partition(${name}) as is_dropped`.execute(db);
    if (!rows[0]?.isDropped) return;
  }
}

const lockNotAvailable = '55P03';
const maxAttempts = 10;

/** Waits only briefly for a lock, because everyone else waits behind it, and retries later. */
async function retryLocked(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === maxAttempts) throw error;
      await sleep(500 * attempt);
    }
}
