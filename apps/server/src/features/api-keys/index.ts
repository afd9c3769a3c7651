// What other features may use. Everything else here is private.
export type { Bindings, KeyAuth } from './api-keys.auth.ts';
export { serverKeysOf } from './api-keys.store.ts';
export { reportExposure, encryptedApiKeys } from './api-keys.service.ts';
