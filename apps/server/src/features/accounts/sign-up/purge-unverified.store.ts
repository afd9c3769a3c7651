import { sql } from 'kysely';
import type { Services } from '../../../platform/context.ts';
import { inPool, recordPoolAudit, type PoolName } from '../../../platform/pool.ts';

/** Rows per transaction, so that locks last only briefly. */
const batchSize = 500;
const pools: readonly PoolName[] = ['customer', 'admin'];

/**
 * Deletes the data of people who never verified their email address: sign-ups after a day, when their link has expired, and
 * accounts and undelivered emails after 7 days. Runs hourly, in one worker of the cell.
 */
export async function purgeUnverified({ db }: Pick<Services, 'db'>, now = new Date(), max = batchSize): Promise<void> {
  for (const pool of pools) {
    await repeatWhileFull(max, () => inPool(db, pool, (tx) => purgeSignUps(tx, now, max)));
    await repeatWhileFull(max, () =>
      inPool(db, pool, async (tx) => {
        const { rows } = await sql<{ userId: string }>`
          select directory.purge_unverified_accounts(${pool}, ${now}, ${max}) as user_id`.execute(tx);
        const actor = { type: 'system' as const, id: 'unverified-accounts' };
        for (const { userId } of rows) await recordPoolAudit(tx, { action: 'account.expired', userId, actor });
        return rows.length;
      }),
    );
  }
  await repeatWhileFull(max, async () => {
    const { rows } = await sql<{ n: number }>`select directory.purge_sign_up_emails(${now}, ${max}) as n`.execute(db);
    return rows[0]?.n ?? 0;
  });
}

async function purgeSignUps(tx: Parameters<typeof recordPoolAudit>[0], now: Date, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from signups using (
      select id from signups where expires_at < ${now} order by expires_at limit ${max} for update skip locked
    ) as due where signups.id = due.id`.execute(tx);
  return Number(numAffectedRows);
}

async function repeatWhileFull(max: number, purge: () => Promise<number>): Promise<void> {
  while ((await purge()) >= max);
}
