export { loadPortalConfig, type PortalConfig } from './config.ts';
export type { Allowed } from './proxy.ts';
export { startPortal, type PortalExtras } from './portal.ts';
export { setPolicy } from './policy.ts';
export { HttpError } from './http-error.ts';
export { logCrashes } from './log.ts';
