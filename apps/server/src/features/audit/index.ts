// What other features may use. Everything else here is private.
export { listAuditKeys, rewrapAuditKeys } from './audit-keys.store.ts';
export { listAuditEntries } from './audit.service.ts';
export { signAuditHeads } from './audit-signing.ts';
