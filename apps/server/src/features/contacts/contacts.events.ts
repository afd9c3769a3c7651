import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Contact } from './contacts.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.
// Not audited: the audit log is kept longer than data about a person may be.

const options = { permission: 'contact.view', isAudited: false } as const;
const contact = z.object({ object: Contact });

export const contactCreated = defineEvent('contact.created', contact, options);
export const contactUpdated = defineEvent('contact.updated', contact, options);
/** An anonymous visitor turned out to be this contact. */
export const contactIdentified = defineEvent(
  'contact.identified',
  contact.extend({ visitorId: idOf('visitor') }),
  options,
);
export const contactDeleted = defineEvent('contact.deleted', z.object({ object: Contact.pick({ id: true }) }), options);
