import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import type { TenantState } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { currentVersion, isVersion } from '../../platform/version.ts';
import type { Signals } from '../../platform/valkey.ts';
import { effective, featuresOf, readEntitlements, type Entitlements } from '../entitlements/index.ts';
import { noPolicies } from '../../platform/access-policies.ts';
import { compilePolicies } from '../policies/index.ts';
import { findTenantState } from './tenants.store.ts';

export interface CachedTenant extends TenantState {
  name: string;
  plan: string;
  entitlements: Entitlements;
}

/** The tenant data that every request needs, in one cache entry, so that most requests need no query. */
export function createTenantState(services: Services, signals: Signals) {
  const cache = createCache<CachedTenant>('tenant', signals, (tenantId) =>
    inTenant(services, asSystem(tenantId as Id<'tenant'>, 'tenant-state'), load, { readOnly: true }),
  );
  return {
    of: (tenantId: Id<'tenant'>) => cache.get(tenantId),
    drop: (tenantId: Id<'tenant'>) => cache.invalidate(tenantId),
  };
}
export type TenantStates = ReturnType<typeof createTenantState>;

async function load({ tx }: Context): Promise<CachedTenant> {
  const tenant = await findTenantState(tx);
  // The tenant was erased, so its credentials must not work.
  if (!tenant)
    return {
      name: '',
      plan: 'free',
      status: 'deleted',
      version: currentVersion,
      features: new Set(),
      policies: noPolicies,
      readsPerMinute: 0,
      entitlements: effective('free', []),
    };
  const { entitlements } = await readEntitlements({ tx });
  return {
    name: tenant.name,
    plan: tenant.plan,
    status: tenant.status,
    version: isVersion(tenant.apiVersion) ? tenant.apiVersion : currentVersion,
    features: featuresOf(entitlements),
    policies: compilePolicies(tenant),
    readsPerMinute: entitlements['reads.per_minute'],
    entitlements,
  };
}
