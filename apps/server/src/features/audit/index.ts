// What other features may use. Everything else here is private.
export { listAuditEntries } from './audit.service.ts';
