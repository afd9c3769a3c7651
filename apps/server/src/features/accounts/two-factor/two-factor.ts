import type { RequestInfo, Session } from '../../../platform/context.ts';
import { conflict, orNotFound, unauthorized } from '../../../platform/errors.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit, type PoolTx } from '../../../platform/pool.ts';
import type { Accounts } from '../accounts.ts';
import * as accountsStore from '../accounts.store.ts';
import { forgiveAttempt, takeAttempt } from '../password/attempts.store.ts';
import { addPasskey, creationOptions, requestOptions } from './passkeys.ts';
import * as store from './two-factor.store.ts';
import { createTotp, isTotp, newRecoveryCodes, pendingTotp } from './totp.ts';

type UserRef = Pick<Session, 'userId'>;

export const getTwoFactorSettings = ({ pool }: Accounts, { userId }: UserRef) =>
  pool.inPool(async (tx) => ({
    totp: (await store.findTotp(tx, userId))?.confirmedAt != null,
    recoveryCodesLeft: await store.countRecoveryCodes(tx, userId),
    passkeys: await store.listPasskeys(tx, userId),
  }));

const account = async (tx: PoolTx, userId: string) => orNotFound('account', await accountsStore.findById(tx, userId));

/** Records the change in the audit log and emails the owner, in case someone else made it. */
async function recordChange(
  { pool }: Accounts,
  tx: PoolTx,
  userId: string,
  action: string,
  { ip, requestId }: RequestInfo,
) {
  const { email, locale } = await account(tx, userId);
  await recordPoolAudit(tx, { action, userId, actor: { type: 'user', id: userId }, ip, requestId });
  await queueEmail(tx, 'second_factor_changed', email, { pool: pool.name, userId, locale });
}

export const startTotp = ({ pool, services }: Accounts, { userId }: UserRef) =>
  pool.inPool(async (tx) => {
    const { email, hasTotp } = await account(tx, userId);
    if (hasTotp) throw conflict('totp_exists', 'An authenticator app is already set up. Remove it first.');
    return createTotp(tx, services.keyring, pool.name, userId, email);
  });

/** The pending secret, if there is one: a page shown again after a wrong code must show the same secret. */
export const pendingOrNewTotp = ({ pool, services }: Accounts, { userId }: UserRef) =>
  pool.inPool(async (tx) => {
    const { email } = await account(tx, userId);
    const pending = await pendingTotp(tx, services.keyring, pool.name, userId, email);
    return pending ?? createTotp(tx, services.keyring, pool.name, userId, email);
  });

/** Activates the secret with its first correct code. Returns the recovery codes, which are not shown again. */
export async function confirmTotp(accounts: Accounts, { userId }: UserRef, code: string, requestInfo: RequestInfo) {
  const { pool, services, wakeMailer } = accounts;
  const attemptInput = { kind: 'code', account: userId, ip: requestInfo.ip, isKnownIp: false };
  const attempt = await pool.inPool((tx) => takeAttempt(tx, attemptInput));
  const recoveryCodes = await pool.inPool(async (tx) => {
    if ((await account(tx, userId)).hasTotp) throw conflict('totp_exists', 'An authenticator app is already set up.');
    if (!(await isTotp(tx, services.keyring, pool.name, userId, code, true)))
      throw unauthorized(
        'invalid_code',
        'Incorrect code. Check that your phone’s clock is correct, then enter a new code.',
      );
    await forgiveAttempt(tx, attempt);
    await recordChange(accounts, tx, userId, 'totp.added', requestInfo);
    return newRecoveryCodes(tx, userId);
  });
  wakeMailer();
  return { recoveryCodes };
}

export async function removeTotp(accounts: Accounts, { userId }: UserRef, requestInfo: RequestInfo) {
  await accounts.pool.inPool(async (tx) => {
    const { hasTotp, hasPasskey } = await account(tx, userId);
    if (!hasTotp) return;
    assertNotLast(accounts, hasPasskey);
    await store.deleteTotp(tx, userId);
    await store.replaceRecoveryCodes(tx, userId, []);
    await recordChange(accounts, tx, userId, 'totp.removed', requestInfo);
  });
  accounts.wakeMailer();
}

export async function renewRecoveryCodes(accounts: Accounts, { userId }: UserRef, requestInfo: RequestInfo) {
  const recoveryCodes = await accounts.pool.inPool(async (tx) => {
    if (!(await account(tx, userId)).hasTotp)
      throw conflict('totp_missing', 'Recovery codes require an authenticator app. Set one up first.');
    await recordChange(accounts, tx, userId, 'recovery_codes.renewed', requestInfo);
    return newRecoveryCodes(tx, userId);
  });
  accounts.wakeMailer();
  return { recoveryCodes };
}

export const passkeyCreation = ({ pool, site }: Accounts, { userId }: UserRef) =>
  pool.inPool(async (tx) => creationOptions(tx, site, await account(tx, userId)));

export const passkeyRequest = ({ pool, site }: Accounts) => pool.inPool((tx) => requestOptions(tx, site));

export async function savePasskey(
  accounts: Accounts,
  { userId }: UserRef,
  response: unknown,
  name: string,
  requestInfo: RequestInfo,
) {
  const passkey = await accounts.pool.inPool(async (tx) => {
    const added = await addPasskey(tx, accounts.site, userId, response, name);
    await recordChange(accounts, tx, userId, 'passkey.added', requestInfo);
    return added;
  });
  accounts.wakeMailer();
  return { passkey };
}

export async function removePasskey(accounts: Accounts, { userId }: UserRef, id: string, requestInfo: RequestInfo) {
  const passkey = await accounts.pool.inPool(async (tx) => {
    const removed = orNotFound('passkey', await store.deletePasskey(tx, userId, id));
    const { hasTotp, hasPasskey } = await account(tx, userId);
    assertNotLast(accounts, hasTotp || hasPasskey);
    await recordChange(accounts, tx, userId, 'passkey.removed', requestInfo);
    return removed;
  });
  accounts.wakeMailer();
  return { passkey };
}

/** Operators can't sign in without two-factor authentication. */
function assertNotLast({ pool }: Accounts, hasAnother: boolean) {
  if (pool.name === 'admin' && !hasAnother)
    throw conflict(
      'last_two_factor_method',
      'Operators must use two-factor authentication. Add another method before you remove this one.',
    );
}
