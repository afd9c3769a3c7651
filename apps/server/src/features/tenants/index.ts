// The public interface of this feature.
export { isReactivation, isTenantActive } from './tenant-active.ts';
export type { CachedTenant, TenantStates } from './tenant-state.ts';
export { createTenant } from './tenants.service.ts';
