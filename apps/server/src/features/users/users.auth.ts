import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Permission } from '../../platform/access.contract.ts';
import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Services, type Session } from '../../platform/context.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { Authenticator, Principal } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';
import type { Signals } from '../../platform/valkey.ts';
import { findSession, type StandingSession } from '../pools/index.ts';
import { permissionsOf, platformRolePermissions, rolePermissions } from './roles.ts';
import { reaches, type VerifiedToken, type VerifyToken } from './token.ts';
import { findOwnUser, findRoles, findUser, type KnownUser } from './users.store.ts';

const isJwt = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/;

interface Found {
  user: KnownUser | undefined;
}
interface Standing {
  session: StandingSession | undefined;
}
interface Membership {
  member: { roles: readonly string[]; permissions: ReadonlySet<Permission> } | undefined;
}

/** Takes up an invitation for somebody whom an issuer vouches for. Says whether we know more of them than `known` now. */
export type JoinByInvitation = (token: VerifiedToken, bearer: string, known: KnownUser | undefined) => Promise<boolean>;

/** What support never does in somebody's place, whatever that person may do. */
const neverLent: ReadonlySet<Permission> = new Set<Permission>([
  'tenant.delete',
  'ownership.transfer',
  'member.manage',
  'billing.manage',
  'api_key.manage',
  // What it makes would outlive the visit: credentials, endpoints, and more visits.
  'webhook.manage',
  'integration.manage',
  'session.create',
  'support_access.manage',
  'policy.manage',
]);

/**
 * Access tokens. The token says who; the database says what: roles come from the membership, known for seconds, so that a
 * removed role, an ended session or a disabled user acts everywhere within five, whoever issued the token.
 */
export function createUserAuth(services: Services, signals: Signals, verify: VerifyToken, join: JoinByInvitation) {
  const users = createCache<Found>('user', signals, async (key) => {
    const [isOwn, issuer, subject] = JSON.parse(key) as [boolean, string, string];
    return { user: await (isOwn ? findOwnUser : findUser)(services.db, issuer, subject) };
  });
  const sessions = createCache<Standing>('session', signals, async (key) => {
    const [pool, id] = key.split('/') as [PoolName, string];
    return { session: await inPool(services.db, pool, (tx) => findSession(tx, id)) };
  });
  const memberships = createCache<Membership>('membership', signals, async (key) => {
    const [tenantId, userId] = key.split('/') as [Id<'tenant'>, Id<'user'>];
    const roles = await inTenant(services, asSystem(tenantId, 'sign-in'), ({ tx }) => findRoles(tx, userId), {
      readOnly: true,
    });
    return { member: roles && { roles, permissions: permissionsOf(rolePermissions, roles) } };
  });
  // A signature costs a quarter of a millisecond to check; the same token comes with every request of a session.
  const verified = new LRUCache<string, VerifiedToken>({ max: 10_000, ttl: 60_000 });

  async function verifyOnce(token: string): Promise<VerifiedToken> {
    const name = hash('sha256', token, 'base64');
    const known = verified.get(name);
    if (known && known.expiresAt * 1_000 > Date.now() && known.isKeyInForce()) return known;
    const fresh = await verify(token);
    verified.set(name, fresh);
    return fresh;
  }

  const authenticator: Authenticator = ({ headers, pathTenantId }) => {
    const token = isJwt.exec(headers.authorization ?? '')?.[1];
    return token ? recognise(token, pathTenantId) : null;
  };

  async function findOrJoin(
    token: VerifiedToken,
    bearer: string,
    namedTenant: string | undefined,
  ): Promise<KnownUser | undefined> {
    const { isOwn, issuer, subject } = token;
    const key = isOwn ? JSON.stringify([true, issuer.pool, subject]) : JSON.stringify([false, issuer.issuer, subject]);
    const { user } = await users.get(key);
    if (isOwn || issuer.pool === 'admin' || user?.disabled) return user;
    // Somebody without a tenant, or on the way to another one, may have been invited since.
    const isAtHome =
      user && (namedTenant === undefined ? user.tenantIds.length > 0 : isOneOf(user.tenantIds, namedTenant));
    if (isAtHome || !(await join(token, bearer, user))) return user;
    users.invalidate(key);
    return (await users.get(key)).user;
  }

  async function recognise(bearer: string, namedTenant: string | undefined): Promise<Principal> {
    const token = await verifyOnce(bearer);
    const { issuer, isOwn, issuedAt, tenantId } = token;
    const user = await findOrJoin(token, bearer, namedTenant);
    const isCutOff = !user || user.disabled || isBefore(issuedAt, user.tokensValidAfter, isOwn);
    if (isCutOff || user.pool !== issuer.pool) throw ended();
    const standing = isOwn ? (await sessions.get(`${issuer.pool}/${token.sessionId}`)).session : null;
    if (standing === undefined || (standing && standing.userId !== user.userId)) throw ended();
    const { userId, email, name } = user;
    const operatorId = standing?.operatorId ?? undefined;
    const session: Session = {
      id: standing?.id ?? null,
      userId,
      authenticatedAt: standing ? standing.authenticatedAt : token.authenticatedAt,
      isProtected: standing?.isProtected ?? null,
      isMultiFactor: !isOwn && token.isMultiFactor,
      locale: standing?.locale ?? null,
      ...(standing && operatorId !== undefined && { operatorId, impersonation: impersonationOf(standing) }),
    };
    if (user.pool === 'admin') {
      const permissions = permissionsOf(platformRolePermissions, user.platformRoles);
      const profile = { email, name, roles: user.platformRoles };
      return { kind: 'operator', operator: { actor: { type: 'operator', id: userId }, permissions, session, profile } };
    }
    const reached = isOwn ? user.tenantIds : user.tenantIds.filter((id) => reaches(issuer, id));
    const chosen = chooseTenant(reached, tenantId, namedTenant);
    const { member } = await memberships.get(`${chosen}/${userId}`);
    if (!member) throw unauthorized('invalid_token', 'You are no longer a member of this tenant.');
    const { roles, permissions } = member;
    return {
      kind: 'member',
      caller: {
        tenantId: chosen,
        actor: operatorId === undefined ? { type: 'user', id: userId } : { type: 'operator', id: operatorId },
        permissions: operatorId === undefined ? permissions : withoutLent(permissions),
        profile: { email, name, roles },
        session,
      },
    };
  }

  return {
    authenticator,
    rolesOf: async (tenantId: Id<'tenant'>, userId: string) =>
      (await memberships.get(`${tenantId}/${userId}`)).member?.roles,
    invalidateUser: (pool: PoolName, userId: string) => users.invalidate(JSON.stringify([true, pool, userId])),
    invalidateSession: (pool: PoolName, sessionId: string) => sessions.invalidate(`${pool}/${sessionId}`),
    invalidateMember: (tenantId: string, userId: string) => {
      memberships.invalidate(`${tenantId}/${userId}`);
      users.invalidate(JSON.stringify([true, 'customer', userId]));
    },
  };
}

/** Whole seconds: `iat` has no fractions. Of the second itself we cannot know; ours have a session that says. */
const isBefore = (issuedAt: number, cut: Date, isOwn: boolean) => {
  const second = Math.floor(cut.getTime() / 1_000);
  return isOwn ? issuedAt < second : issuedAt <= second;
};

const impersonationOf = ({ operatorName, reason, expiresAt }: StandingSession) => ({
  operatorName: operatorName ?? 'An operator',
  reason: reason ?? '',
  expiresAt,
});

const isOneOf = (ids: readonly string[], id: string) => ids.includes(id);

const withoutLent = (held: ReadonlySet<Permission>): ReadonlySet<Permission> =>
  new Set([...held].filter((name) => !neverLent.has(name)));

const ended = () => unauthorized('invalid_token', 'This access token is no longer valid. Sign in again.');

/** The token's word if it has one; else the address, among the tenants one belongs to; else the only one there is. */
function chooseTenant(
  tenantIds: readonly Id<'tenant'>[],
  said: string | undefined,
  named: string | undefined,
): Id<'tenant'> {
  const chosen =
    said === undefined ? (tenantIds.find((id) => id === named) ?? tenantIds[0]) : tenantIds.find((id) => id === said);
  if (!chosen) throw unauthorized('no_membership', 'You are not a member of any tenant. Ask for an invitation.');
  if (said === undefined && chosen !== named && tenantIds.length > 1) {
    throw unauthorized(
      'tenant_required',
      'You are a member of several tenants. Use paths that start with /tenants/{tenantId}.',
    );
  }
  return chosen;
}
