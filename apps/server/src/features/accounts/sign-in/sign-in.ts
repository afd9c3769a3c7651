import type { RequestInfo } from '../../../platform/context.ts';
import { AppError, forbidden, unauthorized } from '../../../platform/errors.ts';
import { recordPoolAudit, type PoolTx } from '../../../platform/pool.ts';
import { ipKey } from '../../../platform/rate-limit.ts';
import { tenantToBeginWith, type Method, type Tokens } from '../../pools/index.ts';
import { forgiveAttempt, knownIp, takeAttempt } from '../password/attempts.store.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';
import { noteFailure, tryPassword } from '../password/password-attempts.ts';
import { mint, peek, take } from '../one-time-tokens.store.ts';
import { checkPasskey } from '../two-factor/passkeys.ts';
import { hashPassword, isOutdated } from '../password/passwords.ts';
import { isRecoveryCode, isTotp } from '../two-factor/totp.ts';

export interface SignedIn extends Tokens {
  userId: string;
  tenantId: string | null;
}

/** Somebody who proved something, and what they proved it with. */
export interface Proven {
  account: store.Account;
  methods: Method[];
  /** What having been right changes: part of whatever transaction comes next. */
  settle(tx: PoolTx): Promise<void>;
}

const wrong = () => unauthorized('invalid_credentials', 'Incorrect email or password.');

/** One answer for a wrong password and for nobody of that address, after the same work. */
export async function provePassword(
  accounts: Accounts,
  { email, password }: { email: string; password: string },
  requestInfo: RequestInfo,
): Promise<Proven> {
  const { pool } = accounts;
  const { account, attempt } = await pool.inPool(async (tx) => {
    const found = await store.findByEmail(tx, email, knownIp(requestInfo.ip));
    const isFamiliar = found?.isFamiliar ?? false;
    const counted = await takeAttempt(tx, { what: 'password', account: email, ip: requestInfo.ip, isFamiliar });
    return { account: found, attempt: counted };
  });
  const isRight = await tryPassword(accounts, attempt, account, password);
  if (!account || !isRight) {
    await noteFailure(accounts, 'sign_in.failed', account, attempt, requestInfo);
    throw wrong();
  }
  if (account.isDisabled) {
    await pool.inPool((tx) => forgiveAttempt(tx, attempt)); // it was right
    throw forbidden('account_disabled', 'This account is disabled. Contact the person who invited you.');
  }
  const isWeak = isOutdated(pool.name, account.passwordHash ?? '');
  const better = isWeak ? await hashPassword(pool.name, password) : undefined;
  return {
    account,
    methods: ['pwd'],
    settle: async (tx) => {
      await forgiveAttempt(tx, attempt);
      if (account.isNewHere) await store.rememberIp(tx, account.userId, knownIp(requestInfo.ip));
      if (better !== undefined) await store.setPassword(tx, account.userId, better);
    },
  };
}

const placeOf = ({ ip: address, requestId }: RequestInfo) => ({ address, requestId });

export const hasSecondFactor = ({ hasTotp, hasPasskey }: store.Account) => hasTotp || hasPasskey;

/** A password and a second step: what is missing is said with a token that carries the first step over to it. */
export async function signIn(
  accounts: Accounts,
  credentials: { email: string; password: string },
  requestInfo: RequestInfo,
) {
  const proven = await provePassword(accounts, credentials, requestInfo);
  const { account } = proven;
  const { pool } = accounts;
  if (hasSecondFactor(account)) {
    const mfaToken = await pool.inPool(async (tx) => {
      await proven.settle(tx);
      return mint(tx, {
        purpose: 'mfa',
        seconds: 300,
        userId: account.userId,
        data: { ip: ipKey(requestInfo.ip), methods: proven.methods },
      });
    });
    const methods = [...(account.hasTotp ? ['totp', 'recovery_code'] : []), ...(account.hasPasskey ? ['passkey'] : [])];
    throw new AppError('UNAUTHORIZED', 'mfa_required', 'Send a two-factor code together with this mfaToken.', {
      details: [
        { path: '/mfaToken', message: mfaToken },
        { path: '/methods', message: methods.join(',') },
      ],
    });
  }
  if (pool.name === 'admin') {
    await pool.inPool(proven.settle);
    throw forbidden(
      'mfa_enrolment_required',
      'Operators must use two-factor authentication. Set it up on the sign-in page first.',
    );
  }
  return arrive(accounts, proven, requestInfo);
}

const wrongCode = () => unauthorized('invalid_code', 'This code is incorrect or was already used.');

/** The second step, for the same person from the same address. A wrong code leaves the token good for another try. */
export async function signInWithCode(
  accounts: Accounts,
  { mfaToken, code }: { mfaToken: string; code: string },
  requestInfo: RequestInfo,
) {
  const { pool } = accounts;
  const carried = await pool.inPool((tx) => peek(tx, 'mfa', mfaToken));
  const isSameIp = carried?.data['ip'] === ipKey(requestInfo.ip);
  const account = carried?.userId ? await pool.inPool((tx) => store.findById(tx, carried.userId ?? '')) : undefined;
  if (!carried || !isSameIp || !account || account.isDisabled)
    throw unauthorized('invalid_mfa_token', 'This sign-in has expired. Start again.');
  const method = await proveCode(accounts, account, code, requestInfo);
  const methods = [...(carried.data['methods'] as Method[]), method];
  const settle = async (tx: PoolTx) => {
    // Two at once with the same token: one gets it.
    if (!(await take(tx, 'mfa', mfaToken))) throw wrongCode();
  };
  return arrive(accounts, { account, methods, settle }, requestInfo);
}

/** Checks a code of the authenticator app, or a recovery code, with the same care against guessing as a password. */
export async function proveCode(
  accounts: Accounts,
  { userId }: store.Account,
  code: string,
  requestInfo: RequestInfo,
): Promise<Method> {
  const { pool, services } = accounts;
  const { account, attempt } = await pool.inPool(async (tx) => {
    // No address is familiar here: whoever comes with the right password has just made theirs so.
    const attempt = { what: 'code', account: userId, ip: requestInfo.ip, isFamiliar: false };
    return { account: await store.findById(tx, userId), attempt: await takeAttempt(tx, attempt) };
  });
  const isShort = /^\s*(\d\s*){6}$/.test(code);
  const isRight = await pool.inPool(async (tx) => {
    const found = isShort
      ? await isTotp(tx, services.keyring, pool.name, userId, code)
      : await isRecoveryCode(tx, userId, code);
    if (!found) return false;
    await forgiveAttempt(tx, attempt);
    const actor = { type: 'user' as const, id: userId };
    if (!isShort) await recordPoolAudit(tx, { ...placeOf(requestInfo), action: 'recovery_code.used', userId, actor });
    return true;
  });
  if (!isRight) {
    await noteFailure(accounts, 'second_factor.failed', account, attempt, requestInfo);
    throw wrongCode();
  }
  return isShort ? 'otp' : 'recovery';
}

/** A passkey proves both at once: the device, and the finger, face or PIN that opened it. */
export async function provePasskey({ pool, site }: Accounts, response: unknown): Promise<Proven> {
  return pool.inPool(async (tx) => {
    const account = await store.findById(tx, await checkPasskey(tx, site, response));
    if (!account) throw wrong();
    if (account.isDisabled)
      throw forbidden('account_disabled', 'This account is disabled. Contact the person who invited you.');
    return { account, methods: ['passkey'], settle: async () => {} };
  });
}

/** Starts the session of somebody who proved enough, in one transaction with whatever that uses up. */
export async function arrive(
  { pool }: Accounts,
  { account: { userId }, methods, settle }: Proven,
  requestInfo: RequestInfo,
): Promise<SignedIn> {
  await pool.provider(); // its keys are at hand before the transaction begins
  const signedIn = await pool.inPool(async (tx) => {
    await settle(tx);
    const tenantId = await tenantToBeginWith(tx, pool.name, userId);
    if (pool.name === 'customer' && tenantId === null) return undefined; // and what was right stays settled
    const { ip: address, userAgent } = requestInfo;
    const tokens = await pool.begin(tx, { userId, methods, ip: address, userAgent, tenantId });
    const actor = { type: 'user' as const, id: userId };
    await recordPoolAudit(tx, { ...placeOf(requestInfo), action: 'session.started', userId, actor, data: { methods } });
    return { ...tokens, userId, tenantId };
  });
  if (!signedIn) throw forbidden('no_membership', 'You are not a member of any organisation. Ask for an invitation.');
  return signedIn;
}
