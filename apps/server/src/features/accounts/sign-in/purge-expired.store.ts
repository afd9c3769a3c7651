import { sql } from 'kysely';
import type { Services } from '../../../platform/context.ts';

/** Rows per statement, so that locks are short. */
const batchSize = 5_000;

/** Deletes expired sessions, tokens and login attempts, and emails that failed long ago. */
export async function purgeExpiredSignIns({ db }: Pick<Services, 'db'>): Promise<void> {
  for (let purged = 1; purged > 0;) {
    const { rows } = await sql<{ purged: number }>`
      select directory.purge_expired_sign_ins(${batchSize}) as purged`.execute(db);
    purged = rows[0]?.purged ?? 0;
  }
  await sql`select directory.purge_failed_emails()`.execute(db);
}
