// The public interface of this feature. Other features import only from here.
export { openPool, ownIssuer, type Pool, type Tokens } from './pool.ts';
export {
  endSessions,
  findSession,
  findSessionOfGrant,
  lastSeenIn,
  listSessions,
  reauthenticateSession,
  setSessionTenant,
  type Method,
  type SessionDetails,
} from './sessions.store.ts';
export { listSigningKeys, ensureSigningKeys } from './signing-keys.store.ts';
export { findPerson, tenantsOf, findInitialTenant } from './people.store.ts';
export type { LibraryPages } from './provider.ts';
