// What other features may use. Everything else here is private.
export { contactIdOf, visitorIdOf } from './contact-id.ts';
export { identityTokens } from './contact-terms.ts';
export {
  deleteContact,
  identifyContact,
  recordContact,
  saveIdentity,
  updateByExternalId,
  type ContactConversations,
} from './contacts.service.ts';
export { findContact, lockContact } from './contacts.store.ts';
