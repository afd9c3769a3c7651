import type { Caller, RequestInfo, Services, Session } from '../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../platform/errors.ts';
import { policyViolation } from '../../platform/access-policies.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { inPool, recordPoolAudit, type PoolName } from '../../platform/pool.ts';
import { findPerson } from '../pools/index.ts';
import type { KnownTenant, TenantStates } from '../tenants/index.ts';
import type { ChangeMe, Me, Profile } from './users.contract.ts';
import { findOwnUser } from './users.store.ts';

export interface ProfileParts {
  services: Services;
  tenants: Pick<TenantStates, 'of'>;
  /** Of a member as they are known by now. */
  rolesOf(tenantId: Id<'tenant'>, userId: string): Promise<readonly string[] | undefined>;
  invalidateUser(pool: PoolName, userId: string): void;
  invalidateSession(pool: PoolName, sessionId: string): void;
}

export const describeMe = (caller: Caller, { name, plan, entitlements, policies }: KnownTenant, ip: string): Me => {
  const { tenantId, actor, permissions, profile, session } = caller;
  return {
    tenantId,
    tenantName: name,
    plan,
    actor: actor as Me['actor'],
    userId: (session?.userId ?? null) as Me['userId'],
    email: profile?.email ?? null,
    name: profile?.name ?? null,
    locale: session?.locale ?? null,
    roles: [...(profile?.roles ?? [])],
    permissions: [...permissions],
    mfaEnabled: session?.isProtected ?? null,
    refusedBy: (policyViolation(policies, caller, ip)?.reason ?? null) as Me['refusedBy'],
    impersonation: session?.impersonation ?? null,
    entitlements,
  };
};

/** Their own name and language, as all their tenants see them. */
export async function changeMe(
  parts: ProfileParts,
  { session: given }: Caller,
  change: ChangeMe,
  requestInfo: RequestInfo,
) {
  const { id, userId } = ownProfile(given);
  const set = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.locale !== undefined && { locale: change.locale }),
  };
  const fields = Object.keys(set);
  const profile = await inPool(parts.services.db, 'customer', async (tx) => {
    if (fields.length > 0) {
      await tx.updateTable('people').set(set).where('userId', '=', userId).execute();
      const { ip: address, requestId } = requestInfo;
      const actor = { type: 'user' as const, id: userId };
      await recordPoolAudit(tx, { action: 'account.updated', userId, actor, ip: address, requestId, data: { fields } });
    }
    return findPerson(tx, userId);
  });
  if (fields.length > 0) {
    parts.invalidateUser('customer', userId);
    parts.invalidateSession('customer', id);
  }
  const { email, name, locale } = orNotFound('person', profile);
  return { userId, email, name, locale } as Profile; // a view's columns have no `not null`
}

/** The tenants they can go on in. A deleted one is none of them, and a key is a member of nothing. */
export async function tenantsOfMe({ services, tenants, rolesOf }: ProfileParts, { tenantId: here, session }: Caller) {
  if (!session) return { data: [], nextCursor: null };
  const { userId, operatorId } = session;
  const user = await findOwnUser(services.db, 'customer', userId);
  // An operator was let into one tenant: where else the person belongs is not their business.
  const ids = (user?.tenantIds ?? []).filter((id) => operatorId === undefined || id === here);
  const found = await Promise.all(
    ids.map(async (tenantId) => {
      const [{ name, status }, roles] = await Promise.all([tenants.of(tenantId), rolesOf(tenantId, userId)]);
      return roles && status !== 'deleted' ? [{ tenantId, name, roles: [...roles] }] : [];
    }),
  );
  return { data: found.flat(), nextCursor: null };
}

function ownProfile(session: Session | undefined): Session & { id: string } {
  if (!session) throw forbidden('user_required', 'This route is for users. Sign in instead of using a key.');
  if (session.operatorId !== undefined)
    throw forbidden('not_allowed_while_impersonating', 'You can’t do this while impersonating a member.');
  if (session.id === null)
    throw conflict('managed_by_identity_provider', 'You sign in through your organisation. Change your name there.');
  return { ...session, id: session.id };
}
