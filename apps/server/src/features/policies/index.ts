// What other features may use. Everything else here is private.
export { assertEmailDomain, compilePolicies, domainNotAllowed } from './policies.service.ts';
export { policyColumns } from './policies.store.ts';
