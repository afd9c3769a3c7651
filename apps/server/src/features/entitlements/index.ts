// What other features may use. Everything else here is private.
export { changeEntitlements, describeEntitlements, readEntitlements, requireRoom } from './entitlements.service.ts';
export { effective, featuresOf, type Entitlements, type Plan } from './plans.ts';
