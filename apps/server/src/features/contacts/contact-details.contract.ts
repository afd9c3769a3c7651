import { z } from 'zod';
import { Page } from '../../platform/lists.contract.ts';
import { Conversation } from '../conversations/conversations.contract.ts';
import { Contact } from './contacts.contract.ts';

// Apart from the contact itself, which conversations refer to.

export const maxCounted = 100;

export const Contacts = Page(
  Contact.extend({ conversationCount: z.int().describe(`At most ${maxCounted}: there may be more.`) }),
);
export const ContactDetails = z.object({
  contact: Contact,
  conversations: z.array(Conversation).describe('The newest. All of them: `GET /conversations?contactId=…`.'),
});
