import type { RequestInfo, Session } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { unauthorized } from '../../../platform/errors.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import { endSessions } from '../../pools/index.ts';
import { accountKey, deleteAttempts, forgiveAttempt, knownIp, takeAttempt } from './attempts.store.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';
import { recordFailure, checkPassword } from './password-attempts.ts';
import { linkExpired, peekToken, consumeToken, type Purpose } from '../one-time-tokens.store.ts';
import { assertGoodPassword, hashPassword } from './passwords.ts';

/** Does the same for every email address: whether the account exists is only looked up when the email is sent. */
export async function forgotPassword({ pool, wakeMailer }: Accounts, email: string, locale: string): Promise<void> {
  await pool.inPool((tx) => queueEmail(tx, 'reset', email, { pool: pool.name, locale }));
  wakeMailer();
}

/** Links that allow setting a password: a requested reset, and the welcome email of a new operator. */
const resetPurposes: Purpose[] = ['reset', 'welcome'];

/** Finds the account of a password link, for the page that asks for the new password. */
export const findPasswordResetAccount = ({ pool }: Accounts, token: string): Promise<store.Account | undefined> =>
  pool.readPool(async (tx) => {
    for (const purpose of resetPurposes) {
      const found = await peekToken(tx, purpose, token);
      if (found?.userId) return store.findById(tx, found.userId);
    }
    return undefined;
  });

/**
 * Sets a new password, ends all sessions and lifts the lock on passwords. The lock on codes stays: access to the inbox
 * proves nothing about the second factor, and resets could otherwise be used to brute-force codes.
 */
export async function resetPassword(
  accounts: Accounts,
  { token, password }: { token: string; password: string },
  { ip, requestId }: Omit<RequestInfo, 'userAgent'>,
): Promise<void> {
  const { pool } = accounts;
  const account = await findPasswordResetAccount(accounts, token);
  if (!account || account.isDisabled) throw linkExpired();
  await assertGoodPassword(password, account.email);
  const passwordHash = await hashPassword(pool.name, password);
  const { userId, email, locale } = account;
  const ended = await pool.inPool(async (tx) => {
    const used = (await consumeToken(tx, 'reset', token)) ?? (await consumeToken(tx, 'welcome', token));
    if (used?.userId !== userId) throw linkExpired();
    await store.setPassword(tx, userId, passwordHash);
    await store.revokeTokens(tx, userId);
    await deleteAttempts(tx, accountKey('password', email));
    await recordPoolAudit(tx, {
      action: 'password.reset',
      userId,
      actor: { type: 'user', id: userId },
      ip,
      requestId,
    });
    await queueEmail(tx, 'password_changed', email, { pool: pool.name, userId, locale });
    return endSessions(tx, userId);
  });
  accounts.invalidateUser(userId);
  accounts.invalidateSessions(ended);
  accounts.wakeMailer();
}

/** Ends all other sessions, so that they must sign in with the new password. */
export async function changePassword(
  accounts: Accounts,
  session: Session,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  requestInfo: RequestInfo,
): Promise<void> {
  const { pool } = accounts;
  const account = await verifyCurrentPassword(accounts, session, currentPassword, requestInfo);
  await assertGoodPassword(newPassword, account.email, '/newPassword');
  const passwordHash = await hashPassword(pool.name, newPassword);
  const { userId, email, locale } = account;
  const ended = await pool.inPool(async (tx) => {
    await store.setPassword(tx, userId, passwordHash);
    const { ip, requestId } = requestInfo;
    await recordPoolAudit(tx, {
      action: 'password.changed',
      userId,
      actor: { type: 'user', id: userId },
      ip,
      requestId,
    });
    await queueEmail(tx, 'password_changed', email, { pool: pool.name, userId, locale });
    return endSessions(tx, userId, { except: session.id ?? '' });
  });
  accounts.invalidateSessions(ended);
  accounts.wakeMailer();
}

/** Verifies the password of a signed-in person. Counted like a sign-in, so that a stolen token does not help to brute-force it. */
export async function verifyCurrentPassword(
  accounts: Accounts,
  { userId }: Pick<Session, 'userId'>,
  password: string,
  requestInfo: RequestInfo,
): Promise<store.Account> {
  const { pool } = accounts;
  const { account, attempt } = await pool.inPool(async (tx) => {
    const found = await store.findById(tx, userId, knownIp(requestInfo.ip));
    const isKnownIp = found?.isKnownIp ?? false; // a stolen token gets no more attempts than a stranger
    const attemptInput = { kind: 'password', account: found?.email ?? userId, ip: requestInfo.ip, isKnownIp };
    return { account: found, attempt: await takeAttempt(tx, attemptInput) };
  });
  const isCorrect = await checkPassword(accounts, attempt, account, password);
  if (!account || !isCorrect) {
    await recordFailure(accounts, 'step_up.failed', account, attempt, requestInfo);
    throw unauthorized('invalid_credentials', 'Incorrect password.');
  }
  await pool.inPool(async (tx) => later(tx, forgiveAttempt(tx, attempt)));
  return account;
}
