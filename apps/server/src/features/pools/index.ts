// What other features may use. Everything else here is private.
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
  type StandingSession,
} from './sessions.store.ts';
export { listSigningKeys, tendKeys } from './signing-keys.store.ts';
export { findPerson, tenantsOf, tenantToBeginWith } from './people.store.ts';
export type { LibraryPages } from './provider.ts';
