import type { Schemas } from '@parley/portal-kit/service';

export type Contact = Schemas['Contact'];
export type AttributeValue = Contact['attributes'][string];

/** A name before an email before an id. */
export const nameOf = ({ name, email, externalUserId }: Pick<Contact, 'name' | 'email' | 'externalUserId'>): string =>
  name || email || externalUserId;
