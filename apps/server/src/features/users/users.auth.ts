import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Permission } from '../../platform/access.contract.ts';
import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Services, type Session } from '../../platform/context.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { Authenticator, Principal } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { readPool, type PoolName } from '../../platform/pool.ts';
import type { Signals } from '../../platform/valkey.ts';
import { findSession, type SessionDetails } from '../pools/index.ts';
import { permissionsOf, platformRolePermissions, rolePermissions } from './roles.ts';
import { isTrustedForTenant, type VerifiedToken, type VerifyToken } from './token.ts';
import { findOwnUser, findRoles, findUser, type KnownUser } from './users.store.ts';

const isJwt = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/;

interface CachedUser {
  user: KnownUser | undefined;
}
interface CachedSession {
  session: SessionDetails | undefined;
}
interface CachedMembership {
  member: { roles: readonly string[]; permissions: ReadonlySet<Permission> } | undefined;
}

/** Accepts open invitations of a person with a verified email address. True if their memberships changed. */
export type JoinByInvitation = (
  token: VerifiedToken,
  bearer: string,
  cachedUser: KnownUser | undefined,
) => Promise<boolean>;

/** Permissions that operators never have while impersonating, whatever the person's roles. */
const deniedWhileImpersonating: ReadonlySet<Permission> = new Set<Permission>([
  'tenant.delete',
  'ownership.transfer',
  'member.manage',
  'billing.manage',
  'api_key.manage',
  // These create things that outlive the impersonation: credentials, endpoints and further support access.
  'webhook.manage',
  'integration.manage',
  'session.create',
  'support_access.manage',
  'policy.manage',
]);

/**
 * Authenticates access tokens. The token identifies the user; roles come from the membership in the database, cached for
 * seconds, so that a removed role, an ended session or a disabled user takes effect everywhere within five seconds.
 */
export function createUserAuth(services: Services, signals: Signals, verify: VerifyToken, join: JoinByInvitation) {
  const users = createCache<CachedUser>('user', signals, async (key) => {
    const [isOwn, issuer, subject] = JSON.parse(key) as [boolean, string, string];
    return { user: await (isOwn ? findOwnUser : findUser)(services.db, issuer, subject) };
  });
  const sessions = createCache<CachedSession>('session', signals, async (key) => {
    const [pool, id] = key.split('/') as [PoolName, string];
    return { session: await readPool(services.db, pool, (tx) => findSession(tx, id)) };
  });
  const memberships = createCache<CachedMembership>('membership', signals, async (key) => {
    const [tenantId, userId] = key.split('/') as [Id<'tenant'>, Id<'user'>];
    const roles = await inTenant(services, asSystem(tenantId, 'sign-in'), ({ tx }) => findRoles(tx, userId), {
      readOnly: true,
    });
    return { member: roles && { roles, permissions: permissionsOf(rolePermissions, roles) } };
  });
  // Verifying a signature takes 0.25 ms, and every request of a session sends the same token.
  const verified = new LRUCache<string, VerifiedToken>({ max: 10_000, ttl: 60_000 });

  async function verifyOnce(token: string): Promise<VerifiedToken> {
    const name = hash('sha256', token, 'base64');
    const cached = verified.get(name);
    if (cached && cached.expiresAt * 1_000 > Date.now() && cached.isKeyValid()) return cached;
    const verifiedToken = await verify(token);
    verified.set(name, verifiedToken);
    return verifiedToken;
  }

  const authenticator: Authenticator = ({ headers, pathTenantId }) => {
    const token = isJwt.exec(headers.authorization ?? '')?.[1];
    return token ? authenticate(token, pathTenantId) : null;
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
    // A person without a tenant, or one who requests another tenant, may have been invited since.
    const isAlreadyMember =
      user && (namedTenant === undefined ? user.tenantIds.length > 0 : isOneOf(user.tenantIds, namedTenant));
    if (isAlreadyMember || !(await join(token, bearer, user))) return user;
    users.invalidate(key);
    return (await users.get(key)).user;
  }

  async function authenticate(bearer: string, namedTenant: string | undefined): Promise<Principal> {
    const token = await verifyOnce(bearer);
    const { issuer, isOwn, issuedAt, tenantId } = token;
    const user = await findOrJoin(token, bearer, namedTenant);
    const isRevoked = !user || user.disabled || isBefore(issuedAt, user.tokensValidAfter, isOwn);
    if (isRevoked || user.pool !== issuer.pool) throw tokenRevoked();
    const sessionDetails = isOwn ? (await sessions.get(`${issuer.pool}/${token.sessionId}`)).session : null;
    if (sessionDetails === undefined || (sessionDetails && sessionDetails.userId !== user.userId)) throw tokenRevoked();
    const { userId, email, name } = user;
    const operatorId = sessionDetails?.operatorId ?? undefined;
    const session: Session = {
      id: sessionDetails?.id ?? null,
      userId,
      authenticatedAt: sessionDetails ? sessionDetails.authenticatedAt : token.authenticatedAt,
      isProtected: sessionDetails?.isProtected ?? null,
      isMultiFactor: !isOwn && token.isMultiFactor,
      locale: sessionDetails?.locale ?? null,
      ...(sessionDetails && operatorId !== undefined && { operatorId, impersonation: impersonationOf(sessionDetails) }),
    };
    if (user.pool === 'admin') {
      const permissions = permissionsOf(platformRolePermissions, user.platformRoles);
      const profile = { email, name, roles: user.platformRoles };
      return { kind: 'operator', operator: { actor: { type: 'operator', id: userId }, permissions, session, profile } };
    }
    const trustedTenants = isOwn ? user.tenantIds : user.tenantIds.filter((id) => isTrustedForTenant(issuer, id));
    const chosen = chooseTenant(trustedTenants, tenantId, namedTenant);
    const { member } = await memberships.get(`${chosen}/${userId}`);
    if (!member) throw unauthorized('invalid_token', 'You are no longer a member of this tenant.');
    const { roles, permissions } = member;
    return {
      kind: 'member',
      caller: {
        tenantId: chosen,
        actor: operatorId === undefined ? { type: 'user', id: userId } : { type: 'operator', id: operatorId },
        permissions: operatorId === undefined ? permissions : impersonationPermissions(permissions),
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

/** Compares whole seconds, because `iat` has no fractions. Within the same second only own tokens pass, as their session is checked too. */
const isBefore = (issuedAt: number, cut: Date, isOwn: boolean) => {
  const second = Math.floor(cut.getTime() / 1_000);
  return isOwn ? issuedAt < second : issuedAt <= second;
};

const impersonationOf = ({ operatorName, reason, expiresAt }: SessionDetails) => ({
  operatorName: operatorName ?? 'An operator',
  reason: reason ?? '',
  expiresAt,
});

const isOneOf = (ids: readonly string[], id: string) => ids.includes(id);

const impersonationPermissions = (permissions: ReadonlySet<Permission>): ReadonlySet<Permission> =>
  new Set([...permissions].filter((name) => !deniedWhileImpersonating.has(name)));

const tokenRevoked = () => unauthorized('invalid_token', 'This access token is no longer valid. Sign in again.');

/** The tenant from the token's claim, else the one in the request path if the user is a member, else the only one. */
function chooseTenant(
  tenantIds: readonly Id<'tenant'>[],
  claimed: string | undefined,
  named: string | undefined,
): Id<'tenant'> {
  const chosen =
    claimed === undefined
      ? (tenantIds.find((id) => id === named) ?? tenantIds[0])
      : tenantIds.find((id) => id === claimed);
  if (!chosen) throw unauthorized('no_membership', 'You are not a member of any tenant. Ask for an invitation.');
  if (claimed === undefined && chosen !== named && tenantIds.length > 1) {
    throw unauthorized(
      'tenant_required',
      'You are a member of several tenants. Use paths that start with /tenants/{tenantId}.',
    );
  }
  return chosen;
}
