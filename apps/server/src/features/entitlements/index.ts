// What other features may use. Everything else here is private.
export { changeEntitlements, readEntitlements, requireRoom } from './entitlements.service.ts';
export { effective, featuresOf, type Entitlements } from './plans.ts';
