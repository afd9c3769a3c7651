import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Permission } from '../../platform/access.contract.ts';
import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Ground } from '../../platform/context.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { Authenticator, Principal } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Signals } from '../../platform/valkey.ts';
import { permissionsOf, platformRolePermissions, rolePermissions } from './roles.ts';
import type { VerifiedToken, VerifyToken } from './token.ts';
import { findRoles, findUser, type KnownUser } from './users.store.ts';

const isJwt = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/;

interface Found {
  user: KnownUser | undefined;
}
interface Membership {
  member: { roles: readonly string[]; permissions: ReadonlySet<Permission> } | undefined;
}

/**
 * Access tokens. The token says who; the database says what: roles come from the membership, known for seconds, so that a
 * removed role or a disabled user acts everywhere within five, whoever issued the token.
 */
export function createUserAuth(ground: Ground, signals: Signals, verify: VerifyToken): Authenticator {
  const users = createCache<Found>('user', signals, async (key) => {
    const [issuer, subject] = JSON.parse(key) as [string, string];
    return { user: await findUser(ground.db, issuer, subject) };
  });
  const memberships = createCache<Membership>('membership', signals, async (key) => {
    const [tenantId, userId] = key.split('/') as [Id<'tenant'>, Id<'user'>];
    const roles = await inTenant(ground, asSystem(tenantId, 'sign-in'), ({ tx }) => findRoles(tx, userId), {
      readOnly: true,
    });
    return { member: roles && { roles, permissions: permissionsOf(rolePermissions, roles) } };
  });
  // A signature costs a quarter of a millisecond to check; the same token comes with every request of a session.
  const verified = new LRUCache<string, VerifiedToken>({ max: 10_000, ttl: 60_000 });

  async function verifyOnce(token: string): Promise<VerifiedToken> {
    const name = hash('sha256', token, 'base64');
    const known = verified.get(name);
    if (known && known.expiresAt * 1_000 > Date.now()) return known;
    const fresh = await verify(token);
    verified.set(name, fresh);
    return fresh;
  }

  return ({ headers, namedTenant }) => {
    const token = isJwt.exec(headers.authorization ?? '')?.[1];
    return token ? recognise(token, namedTenant) : null;
  };

  async function recognise(token: string, namedTenant: string | undefined): Promise<Principal> {
    const { issuer, subject, issuedAt, tenantId } = await verifyOnce(token);
    const { user } = await users.get(JSON.stringify([issuer.issuer, subject]));
    // Whole seconds: `iat` has no fractions.
    const isCutOff = !user || user.disabled || issuedAt < Math.floor(user.tokensValidAfter.getTime() / 1_000);
    if (isCutOff || user.pool !== issuer.pool)
      throw unauthorized('invalid_token', 'This access token is no longer valid. Sign in again.');
    if (user.pool === 'admin') {
      const permissions = permissionsOf(platformRolePermissions, user.platformRoles);
      return { kind: 'operator', operator: { actor: { type: 'operator', id: user.userId }, permissions } };
    }
    const chosen = chooseTenant(user.tenantIds, tenantId, namedTenant);
    const { member } = await memberships.get(`${chosen}/${user.userId}`);
    if (!member) throw unauthorized('invalid_token', 'You are no longer a member of this tenant.');
    const { userId, email, name } = user;
    const { roles, permissions } = member;
    return {
      kind: 'member',
      caller: { tenantId: chosen, actor: { type: 'user', id: userId }, permissions, profile: { email, name, roles } },
    };
  }
}

/** The token's word if it has one; else the address, among the tenants one belongs to; else the only one there is. */
function chooseTenant(
  tenantIds: readonly Id<'tenant'>[],
  said: string | undefined,
  named: string | undefined,
): Id<'tenant'> {
  const chosen =
    said === undefined ? (tenantIds.find((id) => id === named) ?? tenantIds[0]) : tenantIds.find((id) => id === said);
  if (!chosen) throw unauthorized('no_membership', 'You belong to no tenant here. Ask for an invitation.');
  if (said === undefined && chosen !== named && tenantIds.length > 1) {
    throw unauthorized(
      'tenant_not_chosen',
      'You belong to several tenants: use the addresses that begin with /tenants/{tenantId}.',
    );
  }
  return chosen;
}
