import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';

export interface FailedEmail {
  id: string;
  kind: string;
  /** Masked. */
  recipient: string;
  tenantId: string | null;
  attempts: number;
  error: string | null;
  failedAt: Date;
}

export async function failedEmails(db: Db, before: string | undefined, limit: number): Promise<FailedEmail[]> {
  const call = sql<FailedEmail>`select * from directory.failed_emails(${before ?? null}, ${limit})`;
  return (await call.execute(db)).rows;
}

/** Returns false if the email is not in the failed state any more. */
export async function retryEmail(tx: Tx, id: string): Promise<boolean> {
  const call = sql<{ isRequeued: boolean }>`select directory.retry_email(${id}) as is_requeued`;
  return (await call.execute(tx)).rows[0]?.isRequeued ?? false;
}

export async function emailQueue(db: Db, max: number) {
  const call = sql<{ waiting: number; oldestSeconds: number; failed: number }>`
    select * from directory.email_queue(${max})`;
  const row = (await call.execute(db)).rows[0] ?? { waiting: 0, oldestSeconds: 0, failed: 0 };
  return { ...row, oldestSeconds: row.waiting === 0 ? null : row.oldestSeconds, isMore: row.waiting >= max };
}
