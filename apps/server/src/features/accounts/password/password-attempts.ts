import type { RequestInfo } from '../../../platform/context.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import { ipKey } from '../../../platform/rate-limit.ts';
import type { Accounts } from '../accounts.ts';
import { mayWarn, type Account } from '../accounts.store.ts';
import { undoAttempt, type Attempt } from './attempts.store.ts';
import { isPassword } from './passwords.ts';

/** Too busy to check is no attempt: it is given back. */
export const tryPassword = (
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

/** Something wrong was tried: written down for whoever it was tried at, and for nobody alike. */
export async function noteFailure(
  { pool, log }: Accounts,
  action: Failure,
  account: Account | undefined,
  attempt: Attempt,
  { ip: address, requestId }: RequestInfo,
): Promise<void> {
  const userId = account?.userId ?? null;
  const actor = { type: 'visitor' as const, id: ipKey(address) };
  await pool.inPool((tx) => recordPoolAudit(tx, { action, userId, actor, ip: address, requestId }));
  // Not waited for: only the owner of an account is written to, and the clock must not tell.
  if (account && attempt.isLock)
    warnOwner(pool, account).catch((error: unknown) => log.error({ err: error }, 'sending the sign-in warning failed'));
}

async function warnOwner(pool: Accounts['pool'], { userId, email, locale }: Account) {
  await pool.inPool(async (tx) => {
    await recordPoolAudit(tx, { action: 'account.locked', userId, actor: { type: 'system', id: 'sign-in' } });
    if (await mayWarn(tx, userId)) await queueEmail(tx, 'failed_sign_ins', email, { pool: pool.name, userId, locale });
  });
}
