// What other features may use. Everything else here is private.
export { goesOn, isTenantActive } from './tenant-active.ts';
export type { KnownTenant, TenantStates } from './tenant-state.ts';
export { createTenant } from './tenants.service.ts';
