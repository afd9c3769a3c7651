// What other features may use. Everything else here is private.
export { assertSupportAccess } from './support-access.service.ts';
