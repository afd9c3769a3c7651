import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Conversation, Message } from './conversations.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.
// Not audited: the audit log is kept longer than message text may be.

const visibility = { permission: 'conversation.view' } as const;
const unaudited = { ...visibility, isAudited: false };
const conversation = z.object({ object: Conversation });
const message = z.object({ object: Message.omit({ isHandoffOffered: true }) });

export const conversationCreated = defineEvent('conversation.created', conversation, unaudited);
export const conversationResolved = defineEvent('conversation.resolved', conversation, unaudited);
export const handoffRequested = defineEvent('conversation.handoff_requested', conversation, unaudited);
export const handoffAccepted = defineEvent('conversation.handoff_accepted', conversation, unaudited);
/** Handed back to the bot, or no longer closed. */
export const reopened = defineEvent('conversation.reopened', conversation, unaudited);
export const conversationSnoozed = defineEvent('conversation.snoozed', conversation, unaudited);
export const conversationTagged = defineEvent('conversation.tagged', conversation, unaudited);
export const conversationRated = defineEvent(
  'conversation.rated',
  conversation.extend({ rating: z.int(), comment: z.string() }),
  unaudited,
);
export const conversationDeleted = defineEvent(
  'conversation.deleted',
  z.object({ object: z.object({ id: idOf('conversation') }) }),
  unaudited,
);
export const messageCreated = defineEvent('message.created', message, unaudited);
export const messageFeedback = defineEvent(
  'message.feedback',
  z.object({ object: z.object({ id: idOf('message') }), isHelpful: z.boolean(), comment: z.string() }),
  unaudited,
);
export const botFallback = defineEvent(
  'bot.fallback',
  z.object({ object: z.object({ botId: idOf('bot'), reason: z.string() }) }),
  { permission: 'bot.view', isAudited: false },
);
/** Receipt of an erasure: counts and time, without any of the erased data. */
export const dataErased = defineEvent(
  'data.erased',
  z.object({ object: z.object({ receiptId: z.string(), conversations: z.int(), messages: z.int() }) }),
  visibility,
);
