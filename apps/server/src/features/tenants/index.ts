// What other features may use. Everything else here is private.
export type { TenantStates } from './tenant-state.ts';
