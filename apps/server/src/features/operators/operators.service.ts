import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import { conflict, forbidden, orNotFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { queueEmail } from '../../platform/emails.ts';
import { enterPool, recordPoolAudit, type PoolName, type PoolTx } from '../../platform/pool.ts';
import { revokeTokens, findById, insertAccount, setDisabled } from '../accounts/index.ts';
import { endSessions } from '../pools/index.ts';
import type { CreateOperator, PlatformRole } from './operators.contract.ts';
import * as store from './operators.store.ts';

export interface OperatorDeps {
  services: Services;
  /** These two invalidate the caches of all nodes. */
  invalidateUser(pool: PoolName, userId: string): void;
  invalidateSession(pool: PoolName, sessionId: string): void;
  /** Makes the mailer send queued emails immediately. */
  wakeMailer(): void;
}

export interface OperatorRequest {
  operator: Pick<Operator, 'actor'>;
  requestInfo: RequestInfo;
}

/** Roles that may impersonate. Losing the last of them ends an operator's impersonations. */
const impersonatingRoles: readonly string[] = ['platform_admin', 'support'] satisfies PlatformRole[];
export const mayImpersonate = (roles: readonly string[]) => roles.some((role) => impersonatingRoles.includes(role));

// ---- operators

/** The operator sets a password with the link in the email, and a second factor at the first sign-in. */
export async function createOperator(
  deps: OperatorDeps,
  request: OperatorRequest,
  { email, name, roles, locale }: CreateOperator,
) {
  const userId = newId('user');
  const user = await withAdminsLocked(deps, async (tx, admins) => {
    assertMayManage(admins, request);
    return enterPool(tx, 'admin', async (poolTx) => {
      const platformRoles = store.sortRoles(roles);
      await insertAccount(poolTx, { userId, email, name, locale, passwordHash: null, platformRoles });
      await recordAudit(poolTx, request, 'operator.created', userId, { roles: platformRoles });
      await queueEmail(poolTx, 'welcome', email.toLowerCase(), { pool: 'admin', userId, locale });
      return loadPerson(poolTx, userId);
    });
  });
  deps.wakeMailer();
  return { user };
}

/** The previous link is invalidated when the email is written. With a password, operators can use password reset. */
export async function resendWelcome(deps: OperatorDeps, request: OperatorRequest, userId: string) {
  const user = await withAdminsLocked(deps, async (tx, admins) => {
    assertMayManage(admins, request);
    return enterPool(tx, 'admin', async (poolTx) => {
      const account = orNotFound('user', await findById(poolTx, userId));
      if (account.isDisabled) throw conflict('account_disabled', 'This account is disabled. Enable it first.');
      if (account.passwordHash !== null || account.hasPasskey)
        throw conflict(
          'password_already_set',
          'This operator has already set a password. They can reset it on the sign-in page.',
        );
      await recordAudit(poolTx, request, 'operator.welcome_resent', userId);
      await queueEmail(poolTx, 'welcome', account.email, { pool: 'admin', userId, locale: account.locale });
      return loadPerson(poolTx, userId);
    });
  });
  deps.wakeMailer();
  return { user };
}

export async function changeRoles(
  deps: OperatorDeps,
  request: OperatorRequest,
  userId: string,
  newRoles: readonly PlatformRole[],
) {
  const roles = store.sortRoles(newRoles);
  const { user, impersonations } = await withAdminsLocked(deps, async (tx, admins) => {
    if (!roles.includes('platform_admin')) assertNotLastAdmin(admins, userId);
    assertMayManage(admins, request);
    const changed = await enterPool(tx, 'admin', async (poolTx) => {
      const before = await loadPerson(poolTx, userId);
      if (before.roles.join() === roles.join()) return before;
      await store.setRoles(poolTx, userId, roles);
      await recordAudit(poolTx, request, 'operator.roles_changed', userId, {
        roles,
        previous: { roles: before.roles },
      });
      return { ...before, roles };
    });
    return { user: changed, impersonations: mayImpersonate(roles) ? [] : await endImpersonationsBy(tx, userId) };
  });
  invalidateCaches(deps, 'admin', userId, { ended: [], impersonations });
  return { user };
}

// ---- users of either pool

/** Idempotent. */
export async function disablePerson(
  deps: OperatorDeps,
  request: OperatorRequest,
  pool: PoolName,
  userId: string,
  reason: string,
) {
  if (userId === request.operator.actor.id)
    throw conflict('cannot_disable_self', 'You can’t disable your own account. Ask another operator.');
  const { user, ...endedSessions } = await withAdminsLocked(deps, async (tx, admins) => {
    if (pool === 'admin') assertNotLastAdmin(admins, userId);
    assertMayManage(admins, request);
    const result = await enterPool(tx, pool, async (poolTx) => {
      const before = await loadPerson(poolTx, userId);
      await setDisabled(poolTx, userId, true);
      const ended = await endAccess(poolTx, userId);
      if (!before.isDisabled) await recordAudit(poolTx, request, 'user.disabled', userId, { reason });
      return { user: { ...before, isDisabled: true }, ended };
    });
    return { ...result, impersonations: pool === 'admin' ? await endImpersonationsBy(tx, userId) : [] };
  });
  invalidateCaches(deps, pool, userId, endedSessions);
  return { user };
}

/** Ends all sessions, so that one started while the user was being disabled does not become valid. */
export async function enablePerson(deps: OperatorDeps, request: OperatorRequest, pool: PoolName, userId: string) {
  const { user, ...endedSessions } = await withAdminsLocked(deps, async (tx, admins) => {
    assertMayManage(admins, request);
    return enterPool(tx, pool, async (poolTx) => {
      const before = await loadPerson(poolTx, userId);
      if (!before.isDisabled) return { user: before, ended: [], impersonations: [] };
      await setDisabled(poolTx, userId, false);
      const ended = await endAccess(poolTx, userId);
      await recordAudit(poolTx, request, 'user.enabled', userId);
      return { user: { ...before, isDisabled: false }, ended, impersonations: [] };
    });
  });
  invalidateCaches(deps, pool, userId, endedSessions);
  return { user };
}

export async function endPersonsSessions(deps: OperatorDeps, request: OperatorRequest, pool: PoolName, userId: string) {
  const endedSessions = await withAdminsLocked(deps, async (tx, admins) => {
    assertMayManage(admins, request);
    const ended = await enterPool(tx, pool, async (poolTx) => {
      await loadPerson(poolTx, userId);
      await recordAudit(poolTx, request, 'sessions.ended', userId);
      return endAccess(poolTx, userId);
    });
    return { ended, impersonations: pool === 'admin' ? await endImpersonationsBy(tx, userId) : [] };
  });
  invalidateCaches(deps, pool, userId, endedSessions);
  return { ended: endedSessions.ended.length + endedSessions.impersonations.length };
}

// ---- shared

/**
 * One transaction over both pools with the platform admins locked. Without the lock, two admins could disable each other
 * concurrently, because each check would still count the other.
 */
const withAdminsLocked = <T>(
  { services }: OperatorDeps,
  work: (tx: Tx, admins: ReadonlySet<string>) => Promise<T>,
): Promise<T> =>
  services.db.transaction().execute(async (tx) => work(tx, await enterPool(tx, 'admin', store.lockAdmins)));

function assertNotLastAdmin(admins: ReadonlySet<string>, leaving: string): void {
  if (admins.has(leaving) && admins.size === 1)
    throw conflict('last_platform_admin', 'This is the last platform admin who can sign in. Create another one first.');
}

/**
 * Checks the caller's current role under the lock, because cached permissions may be seconds old while the change would
 * last. Call it after `assertNotLastAdmin`: when the last two admins disable each other, the second gets that error.
 */
function assertMayManage(admins: ReadonlySet<string>, { operator }: OperatorRequest): void {
  if (!admins.has(operator.actor.id))
    throw forbidden('permission_missing', "You need the permission 'platform.user.manage'.");
}

export const loadPerson = async (tx: PoolTx, userId: string) => orNotFound('user', await store.findPerson(tx, userId));

/** Our own tokens end with their session; those of an external issuer are rejected by age. */
async function endAccess(tx: PoolTx, userId: string): Promise<string[]> {
  await revokeTokens(tx, userId);
  return endSessions(tx, userId);
}

const endImpersonationsBy = (tx: Tx, operatorId: string): Promise<string[]> =>
  enterPool(tx, 'customer', async (poolTx) => {
    const ended: string[] = [];
    for (const { id, userId } of await store.listImpersonationsBy(poolTx, operatorId))
      ended.push(...(await endSessions(poolTx, userId, { only: id })));
    return ended;
  });

function invalidateCaches(
  deps: OperatorDeps,
  pool: PoolName,
  userId: string,
  { ended, impersonations }: { ended: string[]; impersonations: string[] },
) {
  deps.invalidateUser(pool, userId);
  for (const id of ended) deps.invalidateSession(pool, id);
  for (const id of impersonations) deps.invalidateSession('customer', id);
}

export const recordAudit = (
  tx: PoolTx,
  { operator: { actor }, requestInfo: { ip, requestId } }: OperatorRequest,
  action: string,
  userId: string | null,
  data: Record<string, unknown> = {},
) => recordPoolAudit(tx, { action, userId, actor, ip, requestId, data });
