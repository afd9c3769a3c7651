import { tagToken, tokensOf } from '../../platform/search-tokens.ts';
import type { Contact } from './contacts.contract.ts';

/** What a contact is found by. */
export const termsOf = ({ name, email, externalUserId, tags }: Contact): string[] => [
  ...tokensOf(`${name ?? ''} ${email} ${externalUserId}`),
  ...tags.map(tagToken),
];
