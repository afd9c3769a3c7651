import type { RequestInfo } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import { ipKey } from '../../../platform/rate-limit.ts';
import type { Accounts } from '../accounts.ts';
import { claimDailyWarning, type Account } from '../accounts.store.ts';
import { undoAttempt, type Attempt } from './attempts.store.ts';
import { isPassword } from './passwords.ts';

/** An attempt that could not be checked, because the server is busy, is not counted. */
export const checkPassword = (
  { pool }: Accounts,
  attempt: Attempt,
  account: Account | undefined,
  password: string,
): Promise<boolean> =>
  isPassword(pool.name, account?.passwordHash, password).catch(async (error: unknown) => {
    await pool.inPool((tx) => undoAttempt(tx, attempt));
    throw error;
  });

type Failure = 'sign_in.failed' | 'second_factor.failed' | 'step_up.failed';

/** Records a failed attempt in the audit log, also for unknown accounts. */
export async function recordFailure(
  { pool, log }: Accounts,
  action: Failure,
  account: Account | undefined,
  attempt: Attempt,
  { ip, requestId }: RequestInfo,
): Promise<void> {
  const userId = account?.userId ?? null;
  const actor = { type: 'visitor' as const, id: ipKey(ip) };
  await pool.inPool(async (tx) => later(tx, recordPoolAudit(tx, { action, userId, actor, ip, requestId })));
  // Not awaited: only existing accounts get an email, and the response time must not reveal that.
  if (account && attempt.isLock)
    warnOwner(pool, account).catch((error: unknown) =>
      log.error({ requestId, err: error }, 'sign-in warning email failed'),
    );
}

async function warnOwner(pool: Accounts['pool'], { userId, email, locale }: Account) {
  await pool.inPool(async (tx) => {
    await recordPoolAudit(tx, { action: 'account.locked', userId, actor: { type: 'system', id: 'sign-in' } });
    if (await claimDailyWarning(tx, userId))
      await queueEmail(tx, 'failed_sign_ins', email, { pool: pool.name, userId, locale });
  });
}
