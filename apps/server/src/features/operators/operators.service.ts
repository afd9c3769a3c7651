import type { RequestInfo, Services, Operator } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import { conflict, forbidden, orNotFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { queueEmail } from '../../platform/emails.ts';
import { enterPool, recordPoolAudit, type PoolName, type PoolTx } from '../../platform/pool.ts';
import { cutTokens, findById, insertAccount, setDisabled } from '../accounts/index.ts';
import { endSessions } from '../pools/index.ts';
import type { CreateOperator, PlatformRole } from './operators.contract.ts';
import * as store from './operators.store.ts';

export interface Parts {
  services: Services;
  /** Both tell every node that what it knows is old. */
  invalidateUser(pool: PoolName, userId: string): void;
  invalidateSession(pool: PoolName, sessionId: string): void;
  /** Emails wait: somebody looks at once. */
  wakeMailer(): void;
}

/** Which operator, and from where. */
export interface By {
  operator: Pick<Operator, 'actor'>;
  requestInfo: RequestInfo;
}

/** Who may be in somebody's place. Whoever loses the last of these roles leaves at once. */
const impersonating: readonly string[] = ['platform_admin', 'support'] satisfies PlatformRole[];
export const mayImpersonate = (roles: readonly string[]) => roles.some((role) => impersonating.includes(role));

// ---- operators

/** They choose their first password by the link in the email, and set up a second factor as they first sign in. */
export async function createOperator(parts: Parts, by: By, { email, name, roles, locale }: CreateOperator) {
  const userId = newId('user');
  const user = await manage(parts, async (tx, admins) => {
    assertMayManage(admins, by);
    return enterPool(tx, 'admin', async (inside) => {
      const platformRoles = store.sortRoles(roles);
      await insertAccount(inside, { userId, email, name, locale, passwordHash: null, platformRoles });
      await note(inside, by, 'operator.created', userId, { roles: platformRoles });
      await queueEmail(inside, 'welcome', email.toLowerCase(), { pool: 'admin', userId, locale });
      return read(inside, userId);
    });
  });
  parts.wakeMailer();
  return { user };
}

/** A new link; the one before it ends when the email is written. Whoever has a password asks for a new one themselves. */
export async function resendWelcome(parts: Parts, by: By, userId: string) {
  const user = await manage(parts, async (tx, admins) => {
    assertMayManage(admins, by);
    return enterPool(tx, 'admin', async (inside) => {
      const account = orNotFound('user', await findById(inside, userId));
      if (account.isDisabled) throw conflict('account_disabled', 'This account is disabled. Enable it first.');
      if (account.passwordHash !== null || account.hasPasskey)
        throw conflict(
          'password_already_set',
          'This operator has already set a password. They can reset it on the sign-in page.',
        );
      await note(inside, by, 'operator.welcome_resent', userId);
      await queueEmail(inside, 'welcome', account.email, { pool: 'admin', userId, locale: account.locale });
      return read(inside, userId);
    });
  });
  parts.wakeMailer();
  return { user };
}

export async function changeRoles(parts: Parts, by: By, userId: string, wanted: readonly PlatformRole[]) {
  const roles = store.sortRoles(wanted);
  const { user, lent } = await manage(parts, async (tx, admins) => {
    if (!roles.includes('platform_admin')) assertOneRemains(admins, userId);
    assertMayManage(admins, by);
    const changed = await enterPool(tx, 'admin', async (inside) => {
      const before = await read(inside, userId);
      if (before.roles.join() === roles.join()) return before;
      await store.setRoles(inside, userId, roles);
      await note(inside, by, 'operator.roles_changed', userId, { roles, previous: { roles: before.roles } });
      return { ...before, roles };
    });
    return { user: changed, lent: mayImpersonate(roles) ? [] : await endLentTo(tx, userId) };
  });
  publishEvent(parts, 'admin', userId, { ended: [], lent });
  return { user };
}

// ---- people of either pool

/** Doing it twice is no error: whoever retries wants them out, and they are. */
export async function disablePerson(parts: Parts, by: By, pool: PoolName, userId: string, reason: string) {
  if (userId === by.operator.actor.id)
    throw conflict('cannot_disable_self', 'You can’t disable your own account. Ask another operator.');
  const { user, ...gone } = await manage(parts, async (tx, admins) => {
    if (pool === 'admin') assertOneRemains(admins, userId);
    assertMayManage(admins, by);
    const done = await enterPool(tx, pool, async (inside) => {
      const before = await read(inside, userId);
      await setDisabled(inside, userId, true);
      const ended = await cutOff(inside, userId);
      if (!before.isDisabled) await note(inside, by, 'user.disabled', userId, { reason });
      return { user: { ...before, isDisabled: true }, ended };
    });
    return { ...done, lent: pool === 'admin' ? await endLentTo(tx, userId) : [] };
  });
  publishEvent(parts, pool, userId, gone);
  return { user };
}

/** They sign in anew: a session that began while they were being disabled does not come to life. */
export async function enablePerson(parts: Parts, by: By, pool: PoolName, userId: string) {
  const { user, ...gone } = await manage(parts, async (tx, admins) => {
    assertMayManage(admins, by);
    return enterPool(tx, pool, async (inside) => {
      const before = await read(inside, userId);
      if (!before.isDisabled) return { user: before, ended: [], lent: [] };
      await setDisabled(inside, userId, false);
      const ended = await cutOff(inside, userId);
      await note(inside, by, 'user.enabled', userId);
      return { user: { ...before, isDisabled: false }, ended, lent: [] };
    });
  });
  publishEvent(parts, pool, userId, gone);
  return { user };
}

export async function endPersonsSessions(parts: Parts, by: By, pool: PoolName, userId: string) {
  const gone = await manage(parts, async (tx, admins) => {
    assertMayManage(admins, by);
    const ended = await enterPool(tx, pool, async (inside) => {
      await read(inside, userId);
      await note(inside, by, 'sessions.ended', userId);
      return cutOff(inside, userId);
    });
    return { ended, lent: pool === 'admin' ? await endLentTo(tx, userId) : [] };
  });
  publishEvent(parts, pool, userId, gone);
  return { ended: gone.ended.length + gone.lent.length };
}

// ---- what they share

/**
 * One transaction over both pools, in which nobody else changes who manages people: of two who disable each other at
 * once, each would have counted the other.
 */
const manage = <T>({ services }: Parts, work: (tx: Tx, admins: ReadonlySet<string>) => Promise<T>): Promise<T> =>
  services.db.transaction().execute(async (tx) => work(tx, await enterPool(tx, 'admin', store.lockAdmins)));

function assertOneRemains(admins: ReadonlySet<string>, leaving: string): void {
  if (admins.has(leaving) && admins.size === 1)
    throw conflict('last_platform_admin', 'This is the last platform admin who can sign in. Create another one first.');
}

/**
 * What the caller holds at this moment, read under the lock. Their credential may be seconds old, which is soon over;
 * what they give or take in these seconds would stay. After `assertOneRemains`: of the last two, who disable each other
 * at once, the second hears that they are the last.
 */
function assertMayManage(admins: ReadonlySet<string>, { operator }: By): void {
  if (!admins.has(operator.actor.id))
    throw forbidden('permission_missing', "You need the permission 'platform.user.manage'.");
}

export const read = async (tx: PoolTx, userId: string) => orNotFound('user', await store.findPerson(tx, userId));

/** Tokens of our own end with their session; those of another issuer by their age. */
async function cutOff(tx: PoolTx, userId: string): Promise<string[]> {
  await cutTokens(tx, userId);
  return endSessions(tx, userId);
}

/** Wherever this operator is in somebody's place. */
const endLentTo = (tx: Tx, operatorId: string): Promise<string[]> =>
  enterPool(tx, 'customer', async (inside) => {
    const ended: string[] = [];
    for (const { id, userId } of await store.listLentTo(inside, operatorId))
      ended.push(...(await endSessions(inside, userId, { only: id })));
    return ended;
  });

function publishEvent(
  parts: Parts,
  pool: PoolName,
  userId: string,
  { ended, lent }: { ended: string[]; lent: string[] },
) {
  parts.invalidateUser(pool, userId);
  for (const id of ended) parts.invalidateSession(pool, id);
  for (const id of lent) parts.invalidateSession('customer', id);
}

export const note = (
  tx: PoolTx,
  { operator: { actor }, requestInfo: { ip: address, requestId } }: By,
  action: string,
  userId: string | null,
  data: Record<string, unknown> = {},
) => recordPoolAudit(tx, { action, userId, actor, ip: address, requestId, data });
