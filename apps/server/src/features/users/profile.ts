import type { Caller, RequestInfo, Services, Session } from '../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../platform/errors.ts';
import { policyViolation } from '../../platform/access-policies.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { inPool, recordPoolAudit, type PoolName } from '../../platform/pool.ts';
import { findPerson } from '../pools/index.ts';
import type { CachedTenant, TenantStates } from '../tenants/index.ts';
import type { ChangeMe, Me, Profile } from './users.contract.ts';
import { findOwnUser, updatePerson } from './users.store.ts';

export interface ProfileDeps {
  services: Services;
  tenants: Pick<TenantStates, 'of'>;
  /** The current roles of a member. */
  rolesOf(tenantId: Id<'tenant'>, userId: string): Promise<readonly string[] | undefined>;
  invalidateUser(pool: PoolName, userId: string): void;
  invalidateSession(pool: PoolName, sessionId: string): void;
}

export const describeMe = (caller: Caller, { name, plan, entitlements, policies }: CachedTenant, ip: string): Me => {
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
    refusedBy: (policyViolation(policies, caller, { ip })?.reason ?? null) as Me['refusedBy'],
    impersonation: session?.impersonation ?? null,
    entitlements,
  };
};

/** Changes the name and language, which all tenants of the person see. */
export async function changeMe(deps: ProfileDeps, { session }: Caller, change: ChangeMe, requestInfo: RequestInfo) {
  const { id, userId } = ownProfile(session);
  const set = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.locale !== undefined && { locale: change.locale }),
  };
  const fields = Object.keys(set);
  const profile = await inPool(deps.services.db, 'customer', async (tx) => {
    if (fields.length > 0) {
      await updatePerson(tx, userId, set);
      const { ip, requestId } = requestInfo;
      const actor = { type: 'user' as const, id: userId };
      await recordPoolAudit(tx, { action: 'account.updated', userId, actor, ip, requestId, data: { fields } });
    }
    return findPerson(tx, userId);
  });
  if (fields.length > 0) {
    deps.invalidateUser('customer', userId);
    deps.invalidateSession('customer', id);
  }
  const { email, name, locale } = orNotFound('person', profile);
  return { userId, email, name, locale } as Profile; // a view's columns have no `not null`
}

/** The tenants that the person can switch to, without deleted ones. Empty for a key. */
export async function listMyTenants(
  { services, tenants, rolesOf }: ProfileDeps,
  { tenantId: currentTenantId, session }: Caller,
) {
  if (!session) return { data: [], nextCursor: null };
  const { userId, operatorId } = session;
  const user = await findOwnUser(services.db, 'customer', userId);
  // Impersonation is limited to one tenant; the person's other tenants must not be disclosed.
  const ids = (user?.tenantIds ?? []).filter((id) => operatorId === undefined || id === currentTenantId);
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
