// The public interface of this feature.
export { isStatusChange } from './tenants.events.ts';
export { isTenantActive } from './tenants.store.ts';
export type { CachedTenant, TenantStates } from './tenant-state.ts';
export { createTenant } from './tenants.service.ts';
