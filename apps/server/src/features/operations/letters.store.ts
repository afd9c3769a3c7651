import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';

export interface FailedLetter {
  id: string;
  kind: string;
  /** Only what tells one address from another. */
  recipient: string;
  tenantId: string | null;
  attempts: number;
  error: string | null;
  failedAt: Date;
}

export async function failedLetters(db: Db, before: string | undefined, limit: number): Promise<FailedLetter[]> {
  const call = sql<FailedLetter>`select * from directory.failed_letters(${before ?? null}, ${limit})`;
  return (await call.execute(db)).rows;
}

/** Says whether it was still given up. */
export async function retryLetter(tx: Tx, id: string): Promise<boolean> {
  const call = sql<{ isAgain: boolean }>`select directory.retry_letter(${id}) as is_again`;
  return (await call.execute(tx)).rows[0]?.isAgain ?? false;
}

export async function letterLane(db: Db, most: number) {
  const call = sql<{ waiting: number; oldestSeconds: number; failed: number }>`
    select * from directory.letter_lane(${most})`;
  const row = (await call.execute(db)).rows[0] ?? { waiting: 0, oldestSeconds: 0, failed: 0 };
  return { ...row, oldestSeconds: row.waiting === 0 ? null : row.oldestSeconds, isMore: row.waiting >= most };
}
