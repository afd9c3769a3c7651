import type { RequestInfo, Session } from '../../../platform/context.ts';
import { unauthorized } from '../../../platform/errors.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import { endSessions } from '../../pools/index.ts';
import { accountKey, deleteAttempts, forgiveAttempt, knownIp, takeAttempt } from './attempts.store.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';
import { noteFailure, tryPassword } from './password-attempts.ts';
import { linkExpired, peek, take, type Purpose } from '../one-time-tokens.store.ts';
import { assertGoodPassword, hashPassword } from './passwords.ts';

/** The same for everybody: whether there is such an account is found out when the email is written, not here. */
export async function forgotPassword({ pool, wakeMailer }: Accounts, email: string, locale: string): Promise<void> {
  await pool.inPool((tx) => queueEmail(tx, 'reset', email, { pool: pool.name, locale }));
  wakeMailer();
}

/** Links that let somebody choose a password: one they asked for, and an operator's first. */
const choosing: Purpose[] = ['reset', 'welcome'];

/** Whose link this is, for the page that asks for the new password. */
export const whoMayChoose = ({ pool }: Accounts, token: string): Promise<store.Account | undefined> =>
  pool.inPool(async (tx) => {
    for (const purpose of choosing) {
      const found = await peek(tx, purpose, token);
      if (found?.userId) return store.findById(tx, found.userId);
    }
    return undefined;
  });

/**
 * Whoever holds the mailbox chooses a new password: that ends every session, and the lock on passwords. Not the one on
 * codes: the mailbox proves nothing about the second factor, which would else be guessed between two resets.
 */
export async function resetPassword(
  accounts: Accounts,
  { token, password }: { token: string; password: string },
  { ip: address, requestId }: Omit<RequestInfo, 'userAgent'>,
): Promise<void> {
  const { pool } = accounts;
  const account = await whoMayChoose(accounts, token);
  if (!account || account.isDisabled) throw linkExpired();
  assertGoodPassword(password, account.email);
  const passwordHash = await hashPassword(pool.name, password);
  const { userId, email, locale } = account;
  const ended = await pool.inPool(async (tx) => {
    const used = (await take(tx, 'reset', token)) ?? (await take(tx, 'welcome', token));
    if (used?.userId !== userId) throw linkExpired();
    await store.setPassword(tx, userId, passwordHash);
    await store.cutTokens(tx, userId);
    await deleteAttempts(tx, accountKey('password', email));
    await recordPoolAudit(tx, {
      action: 'password.reset',
      userId,
      actor: { type: 'user', id: userId },
      ip: address,
      requestId,
    });
    await queueEmail(tx, 'password_changed', email, { pool: pool.name, userId, locale });
    return endSessions(tx, userId);
  });
  accounts.invalidateUser(userId);
  accounts.invalidateSessions(ended);
  accounts.wakeMailer();
}

/** Ends every other session: whoever else was signed in has to know the new one. */
export async function changePassword(
  accounts: Accounts,
  session: Session,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  requestInfo: RequestInfo,
): Promise<void> {
  const { pool } = accounts;
  const account = await provePerson(accounts, session, currentPassword, requestInfo);
  assertGoodPassword(newPassword, account.email, '/newPassword');
  const passwordHash = await hashPassword(pool.name, newPassword);
  const { userId, email, locale } = account;
  const ended = await pool.inPool(async (tx) => {
    await store.setPassword(tx, userId, passwordHash);
    const { ip: address, requestId } = requestInfo;
    await recordPoolAudit(tx, {
      action: 'password.changed',
      userId,
      actor: { type: 'user', id: userId },
      ip: address,
      requestId,
    });
    await queueEmail(tx, 'password_changed', email, { pool: pool.name, userId, locale });
    return endSessions(tx, userId, { except: session.id ?? '' });
  });
  accounts.invalidateSessions(ended);
  accounts.wakeMailer();
}

/** The password of somebody who is signed in, counted like any other attempt: a stolen token does not help to find it. */
export async function provePerson(
  accounts: Accounts,
  { userId }: Pick<Session, 'userId'>,
  password: string,
  requestInfo: RequestInfo,
): Promise<store.Account> {
  const { pool } = accounts;
  const { account, attempt } = await pool.inPool(async (tx) => {
    const found = await store.findById(tx, userId, knownIp(requestInfo.ip));
    const isFamiliar = found?.isFamiliar ?? false; // a stolen token tries no more than a stranger
    const counted = { what: 'password', account: found?.email ?? userId, ip: requestInfo.ip, isFamiliar };
    return { account: found, attempt: await takeAttempt(tx, counted) };
  });
  const isRight = await tryPassword(accounts, attempt, account, password);
  if (!account || !isRight) {
    await noteFailure(accounts, 'step_up.failed', account, attempt, requestInfo);
    throw unauthorized('invalid_credentials', 'Incorrect password.');
  }
  await pool.inPool((tx) => forgiveAttempt(tx, attempt));
  return account;
}
