import type { RequestInfo, Session } from '../../../platform/context.ts';
import { forbidden, invalid, notFound, unauthorized } from '../../../platform/errors.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import {
  endSessions,
  findSessionOfGrant,
  listSessions,
  reauthenticateSession,
  setSessionTenant,
  tenantsOf,
  type Method,
} from '../../pools/index.ts';
import type { Accounts } from '../accounts.ts';
import { verifyCurrentPassword } from '../password/recovery.ts';
import { hasTwoFactor, verifyCode, verifyPasskey } from './sign-in.ts';

/** Requires a session of this pool. People with an external issuer manage their sessions there. */
export function ownSession(session: Session | undefined): Session & { id: string } {
  if (!session || session.id === null)
    throw forbidden('managed_by_identity_provider', 'You sign in through your organisation. Change this there.');
  if (session.operatorId !== undefined)
    throw forbidden('not_allowed_while_impersonating', 'You can’t do this while impersonating a member.');
  return { ...session, id: session.id };
}

export const listOwnSessions = async ({ pool }: Accounts, { id, userId }: Session) =>
  (await pool.readPool((tx) => listSessions(tx, userId))).map(({ operatorId, ...session }) => ({
    ...session,
    isCurrent: session.id === id,
    isOperator: operatorId !== null,
  }));

export async function endSession(accounts: Accounts, { userId }: Session, id: string, { ip, requestId }: RequestInfo) {
  const ended = await accounts.pool.inPool(async (tx) => {
    const found = await endSessions(tx, userId, { only: id });
    if (found.length === 0) throw notFound('session');
    const actor = { type: 'user' as const, id: userId };
    await recordPoolAudit(tx, { action: 'session.ended', userId, actor, ip, requestId, data: { id } });
    return found;
  });
  accounts.invalidateSessions(ended);
}

export async function endOtherSessions(accounts: Accounts, { userId, id }: Session, { ip, requestId }: RequestInfo) {
  const { pool } = accounts;
  const ended = await pool.inPool(async (tx) => {
    await recordPoolAudit(tx, {
      action: 'sessions.ended',
      userId,
      actor: { type: 'user', id: userId },
      ip,
      requestId,
    });
    return endSessions(tx, userId, { except: id ?? '' });
  });
  accounts.invalidateSessions(ended);
  return ended.length;
}

export interface StepUpInput {
  password?: string | undefined;
  code?: string | undefined;
  passkey?: unknown;
}

/** Re-authenticates a signed-in person with all factors, as at sign-in. The access token stays the same. */
export async function stepUp(
  accounts: Accounts,
  session: Session & { id: string },
  proof: StepUpInput,
  requestInfo: RequestInfo,
) {
  const { pool } = accounts;
  const methods = await reauthenticate(accounts, session, proof, requestInfo);
  const at = new Date();
  await pool.inPool(async (tx) => {
    await reauthenticateSession(tx, session.id, methods, at);
    const { ip, requestId } = requestInfo;
    const { userId } = session;
    await recordPoolAudit(tx, {
      action: 'session.stepped_up',
      userId,
      actor: { type: 'user', id: userId },
      ip,
      requestId,
      data: { methods },
    });
  });
  accounts.invalidateSessions([session.id]);
  return { validUntil: new Date(at.getTime() + 300_000) };
}

async function reauthenticate(
  accounts: Accounts,
  { userId }: Session,
  { password, code, passkey }: StepUpInput,
  requestInfo: RequestInfo,
): Promise<Method[]> {
  if (passkey !== undefined) {
    const { account, methods } = await verifyPasskey(accounts, passkey);
    if (account.userId !== userId) throw unauthorized('passkey_failed', 'This passkey belongs to another account.');
    return methods;
  }
  if (password === undefined)
    throw invalid('invalid_fields', [{ path: '/password', message: 'Send your password or a passkey.' }]);
  const account = await verifyCurrentPassword(accounts, { userId }, password, requestInfo);
  if (!hasTwoFactor(account)) return ['pwd'];
  if (code === undefined) throw unauthorized('mfa_required', 'Send a two-factor code as well.');
  return ['pwd', await verifyCode(accounts, account, code, requestInfo)];
}

/** Revokes the refresh token family and invalidates the session on every node, so that its access tokens stop working. */
export async function signOut({ pool, invalidateSessions }: Accounts, refreshToken: string): Promise<void> {
  const token = await (await pool.provider()).RefreshToken.find(refreshToken);
  const grantId = token?.grantId;
  const session = grantId === undefined ? undefined : await pool.readPool((tx) => findSessionOfGrant(tx, grantId));
  if (!session) return; // already signed out
  const { id, userId } = session;
  await pool.inPool(async (tx) => {
    await endSessions(tx, userId, { only: id });
    await recordPoolAudit(tx, { action: 'session.ended', userId, actor: { type: 'user', id: userId }, data: { id } });
  });
  invalidateSessions([id]);
}

/** Switches the session to another tenant of the same person and issues tokens for it. */
export async function switchTenant({ pool, invalidateSessions }: Accounts, refreshToken: string, tenantId: string) {
  const sessionEnded = () => unauthorized('invalid_refresh_token', 'This session has ended. Sign in again.');
  const token = await (await pool.provider()).RefreshToken.find(refreshToken);
  const grantId = token?.grantId;
  if (!token || !grantId || token.consumed) throw sessionEnded();
  const sessionId = await pool.inPool(async (tx) => {
    const session = await findSessionOfGrant(tx, grantId);
    if (!session) throw sessionEnded();
    if (!(await tenantsOf(tx, pool.name, session.userId)).includes(tenantId))
      throw forbidden('no_membership', 'You are not a member of this tenant.');
    await setSessionTenant(tx, session.id, session.userId, tenantId);
    return session.id;
  });
  invalidateSessions([sessionId]);
  return { ...(await pool.refresh(refreshToken, token.clientId)), userId: token.accountId, tenantId };
}
