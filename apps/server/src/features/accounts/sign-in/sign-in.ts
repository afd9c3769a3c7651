import type { RequestInfo } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { AppError, forbidden, unauthorized } from '../../../platform/errors.ts';
import { recordPoolAudit, type PoolTx } from '../../../platform/pool.ts';
import { ipKey } from '../../../platform/rate-limit.ts';
import { findInitialTenant, type Method, type Tokens } from '../../pools/index.ts';
import { forgiveAttempt, knownIp, takeAttempt } from '../password/attempts.store.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';
import { recordFailure, checkPassword } from '../password/password-attempts.ts';
import { createToken, peekToken, consumeToken } from '../one-time-tokens.store.ts';
import { checkPasskey } from '../two-factor/passkeys.ts';
import { hashPassword, isOutdated } from '../password/passwords.ts';
import { isRecoveryCode, isTotp } from '../two-factor/totp.ts';
import { measureSignIn } from './sign-in-metrics.ts';

export interface SignedIn extends Tokens {
  userId: string;
  tenantId: string | null;
}

/** The account that authenticated, and the methods it used. */
export interface AuthResult {
  account: store.Account;
  methods: Method[];
  /** Resets the attempt counter and similar. Must run in the caller's next transaction. */
  onSuccess(tx: PoolTx): Promise<void>;
}

const invalidCredentials = () => unauthorized('invalid_credentials', 'Incorrect email or password.');

/** Fails in the same way, and after the same work, for a wrong password and an unknown email address. */
export const verifyPassword = (
  accounts: Accounts,
  credentials: { email: string; password: string },
  requestInfo: RequestInfo,
): Promise<AuthResult> => measureSignIn('password', () => checkCredentials(accounts, credentials, requestInfo));

async function checkCredentials(
  accounts: Accounts,
  { email, password }: { email: string; password: string },
  requestInfo: RequestInfo,
): Promise<AuthResult> {
  const { pool } = accounts;
  const { ip } = requestInfo;
  const isKnownIp = store.isKnownIpOf(email, knownIp(ip));
  const [account, attempt] = await pool.inPool((tx) =>
    Promise.all([
      store.findByEmail(tx, email, knownIp(ip)),
      takeAttempt(tx, { kind: 'password', account: email, ip, isKnownIp }),
    ]),
  );
  const isCorrect = await checkPassword(accounts, attempt, account, password);
  if (!account || !isCorrect) {
    await recordFailure(accounts, 'sign_in.failed', account, attempt, requestInfo);
    throw invalidCredentials();
  }
  if (account.isDisabled) {
    await pool.inPool(async (tx) => later(tx, forgiveAttempt(tx, attempt))); // the password was correct
    throw forbidden('account_disabled', 'This account is disabled. Contact the person who invited you.');
  }
  const isHashOutdated = isOutdated(pool.name, account.passwordHash ?? '');
  const newHash = isHashOutdated ? await hashPassword(pool.name, password) : undefined;
  return {
    account,
    methods: ['pwd'],
    onSuccess: async (tx) => {
      later(tx, forgiveAttempt(tx, attempt));
      if (account.isIpUnrecorded) later(tx, store.rememberIp(tx, account.userId, knownIp(ip)));
      if (newHash !== undefined) later(tx, store.setPassword(tx, account.userId, newHash));
    },
  };
}

const requestFields = ({ ip, requestId }: RequestInfo) => ({ ip, requestId });

export const hasTwoFactor = ({ hasTotp, hasPasskey }: store.Account) => hasTotp || hasPasskey;

/** Signs in with a password. If two-factor authentication is on, fails with an `mfaToken` for the second step. */
export async function signIn(
  accounts: Accounts,
  credentials: { email: string; password: string },
  requestInfo: RequestInfo,
) {
  const authResult = await verifyPassword(accounts, credentials, requestInfo);
  const { account } = authResult;
  const { pool } = accounts;
  if (hasTwoFactor(account)) {
    const mfaToken = await pool.inPool(async (tx) => {
      await authResult.onSuccess(tx);
      return createToken(tx, {
        purpose: 'mfa',
        seconds: 300,
        userId: account.userId,
        data: { ip: ipKey(requestInfo.ip), methods: authResult.methods },
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
    await pool.inPool(authResult.onSuccess);
    throw forbidden(
      'mfa_enrolment_required',
      'Operators must use two-factor authentication. Set it up on the sign-in page first.',
    );
  }
  return startSession(accounts, authResult, requestInfo);
}

const invalidCode = () => unauthorized('invalid_code', 'This code is incorrect or was already used.');

/** The second step, from the same IP address as the first. The token stays valid after a wrong code. */
export async function signInWithCode(
  accounts: Accounts,
  { mfaToken, code }: { mfaToken: string; code: string },
  requestInfo: RequestInfo,
) {
  const { pool } = accounts;
  const { mfaSession, account } = await pool.readPool(async (tx) => {
    const found = await peekToken(tx, 'mfa', mfaToken);
    return { mfaSession: found, account: found?.userId ? await store.findById(tx, found.userId) : undefined };
  });
  const isSameIp = mfaSession?.data['ip'] === ipKey(requestInfo.ip);
  if (!mfaSession || !isSameIp || !account || account.isDisabled)
    throw unauthorized('invalid_mfa_token', 'This sign-in has expired. Start again.');
  const method = await verifyCode(accounts, account, code, requestInfo);
  const methods = [...(mfaSession.data['methods'] as Method[]), method];
  const onSuccess = async (tx: PoolTx) => {
    // Of two concurrent requests with the same token, one succeeds.
    if (!(await consumeToken(tx, 'mfa', mfaToken))) throw invalidCode();
  };
  return startSession(accounts, { account, methods, onSuccess }, requestInfo);
}

/** Verifies a TOTP or recovery code, with the same attempt limits as a password. */
export const verifyCode = (
  accounts: Accounts,
  account: store.Account,
  code: string,
  requestInfo: RequestInfo,
): Promise<Method> => measureSignIn('code', () => checkCode(accounts, account, code, requestInfo));

async function checkCode(
  accounts: Accounts,
  { userId }: store.Account,
  code: string,
  requestInfo: RequestInfo,
): Promise<Method> {
  const { pool, services } = accounts;
  const [account, attempt] = await pool.inPool((tx) =>
    Promise.all([
      store.findById(tx, userId),
      // Every IP address counts as unknown here, because the correct password has just made this one known.
      takeAttempt(tx, { kind: 'code', account: userId, ip: requestInfo.ip, isKnownIp: false }),
    ]),
  );
  const isShort = /^\s*(\d\s*){6}$/.test(code);
  const isCorrect = await pool.inPool(async (tx) => {
    const found = isShort
      ? await isTotp(tx, services.keyring, pool.name, userId, code)
      : await isRecoveryCode(tx, userId, code);
    if (!found) return false;
    later(tx, forgiveAttempt(tx, attempt));
    const actor = { type: 'user' as const, id: userId };
    if (!isShort)
      later(tx, recordPoolAudit(tx, { ...requestFields(requestInfo), action: 'recovery_code.used', userId, actor }));
    return true;
  });
  if (!isCorrect) {
    await recordFailure(accounts, 'second_factor.failed', account, attempt, requestInfo);
    throw invalidCode();
  }
  return isShort ? 'otp' : 'recovery';
}

/** A passkey counts as two factors: the device, and the fingerprint, face or PIN that unlocks it. */
export const verifyPasskey = ({ pool, site }: Accounts, response: unknown): Promise<AuthResult> =>
  measureSignIn('passkey', () =>
    pool.inPool(async (tx) => {
      const account = await store.findById(tx, await checkPasskey(tx, site, response));
      if (!account) throw invalidCredentials();
      if (account.isDisabled)
        throw forbidden('account_disabled', 'This account is disabled. Contact the person who invited you.');
      return { account, methods: ['passkey'] as Method[], onSuccess: async () => {} };
    }),
  );

/** Starts a session, in one transaction with `onSuccess`. */
export async function startSession(
  { pool }: Accounts,
  { account: { userId }, methods, onSuccess }: AuthResult,
  requestInfo: RequestInfo,
): Promise<SignedIn> {
  await pool.provider(); // loads the signing keys before the transaction starts
  const started = await pool.inPool(async (tx) => {
    const [tenantId] = await Promise.all([findInitialTenant(tx, pool.name, userId), onSuccess(tx)]);
    if (pool.name === 'customer' && tenantId === null) return undefined; // commits `onSuccess`
    const { ip, userAgent } = requestInfo;
    const actor = { type: 'user' as const, id: userId };
    const audit = { action: 'session.started', userId, actor, data: { methods } };
    later(tx, recordPoolAudit(tx, { ...requestFields(requestInfo), ...audit }));
    return { tenantId, tokens: await pool.startSession(tx, { userId, methods, ip, userAgent, tenantId }) };
  });
  if (!started) throw forbidden('no_membership', 'You are not a member of any organisation. Ask for an invitation.');
  const { tenantId, tokens } = started;
  return { ...tokens, accessToken: await tokens.accessToken, userId, tenantId };
}
