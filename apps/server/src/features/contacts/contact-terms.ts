import { tagToken, tokensOf } from '../../platform/search-tokens.ts';
import type { Contact } from './contacts.contract.ts';

type Identity = Record<'name' | 'email' | 'externalUserId', string | null>;

/** What a contact and its conversations are found by. None without a contact. */
export const identityTokens = ({ name, email, externalUserId }: Identity): string[] =>
  tokensOf(`${name ?? ''} ${email ?? ''} ${externalUserId ?? ''}`);

/** What a contact is found by. */
export const termsOf = (contact: Contact): string[] => [...identityTokens(contact), ...contact.tags.map(tagToken)];
