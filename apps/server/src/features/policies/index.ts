// The public interface of this feature. Other features import only from here.
export { assertEmailDomain, compilePolicies, domainNotAllowed } from './policies.service.ts';
export { policyColumns } from './policies.store.ts';
