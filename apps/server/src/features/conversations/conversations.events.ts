import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Conversation, Message } from './conversations.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.
// None of these stands in the audit log: it is kept longer than anybody's words may be.

const viewed = { permission: 'conversation.view' } as const;
const unlogged = { ...viewed, isAudited: false };
const conversation = z.object({ object: Conversation });
const message = z.object({ object: Message.omit({ isHandoffOffered: true }) });
export const Contact = z.object({
  id: idOf('contact'),
  environmentId: idOf('environment'),
  externalUserId: z.string(),
  email: z.string(),
});
const contact = z.object({ object: Contact });

export const conversationCreated = defineEvent('conversation.created', conversation, unlogged);
export const conversationResolved = defineEvent('conversation.resolved', conversation, unlogged);
export const handoffRequested = defineEvent('conversation.handoff_requested', conversation, unlogged);
export const handoffAccepted = defineEvent('conversation.handoff_accepted', conversation, unlogged);
export const handedBack = defineEvent('conversation.reopened', conversation, unlogged);
export const conversationRated = defineEvent(
  'conversation.rated',
  conversation.extend({ rating: z.int(), comment: z.string() }),
  unlogged,
);
export const conversationDeleted = defineEvent(
  'conversation.deleted',
  z.object({ object: z.object({ id: idOf('conversation') }) }),
  unlogged,
);
export const messageCreated = defineEvent('message.created', message, unlogged);
export const messageFeedback = defineEvent(
  'message.feedback',
  z.object({ object: z.object({ id: idOf('message') }), isHelpful: z.boolean(), comment: z.string() }),
  unlogged,
);
export const contactCreated = defineEvent('contact.created', contact, unlogged);
export const contactUpdated = defineEvent('contact.updated', contact, unlogged);
export const contactDeleted = defineEvent(
  'contact.deleted',
  z.object({ object: Contact.pick({ id: true }) }),
  unlogged,
);
export const botFallback = defineEvent(
  'bot.fallback',
  z.object({ object: z.object({ botId: idOf('bot'), reason: z.string() }) }),
  { permission: 'bot.view', isAudited: false },
);
/** The receipt: how much was erased and when, and nothing of what it was. */
export const dataErased = defineEvent(
  'data.erased',
  z.object({ object: z.object({ receiptId: z.string(), conversations: z.int(), messages: z.int() }) }),
  viewed,
);
