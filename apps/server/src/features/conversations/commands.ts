import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { close, sendAsAgent } from './agent/agents.service.ts';
import { updateContact } from './visitor/contacts.store.ts';
import * as events from './conversations.events.ts';

const text = z.string().trim().min(1).max(4_000);

const SendMessage = z.strictObject({
  conversationId: idOf('conversation'),
  text,
  name: z.string().trim().min(1).max(80).default('Support').describe('Name of the sender, as shown to the visitor.'),
});
const UpdateContact = z.strictObject({
  environmentId: idOf('environment'),
  externalUserId: z.string().min(1).max(200),
  email: z.email().max(254).optional(),
  name: z.string().trim().max(120).optional(),
  attributes: z
    .record(z.string().max(64), z.union([z.string().max(500), z.number(), z.boolean(), z.null()]))
    .optional(),
});
const CloseConversation = z.strictObject({ conversationId: idOf('conversation') });

/** Commands that a tenant's system may send with a signed request. */
export const conversationCommands = {
  'message.send': {
    data: SendMessage,
    run: async (ctx: Context, { conversationId, ...input }: z.infer<typeof SendMessage>) => {
      const message = await sendAsAgent(ctx, conversationId, input);
      return { id: message.id };
    },
  },
  'contact.update': {
    data: UpdateContact,
    run: async (ctx: Context, { environmentId, externalUserId, ...change }: z.infer<typeof UpdateContact>) => {
      const contact = orNotFound('contact', await updateContact(ctx.tx, { environmentId, externalUserId }, change));
      await emit(ctx, events.contactUpdated, contact.id, { object: contact }, { environmentId });
      return { id: contact.id };
    },
  },
  'conversation.close': {
    data: CloseConversation,
    run: async (ctx: Context, { conversationId }: z.infer<typeof CloseConversation>) => {
      const { conversation } = await close(ctx, conversationId);
      return { id: conversation.id };
    },
  },
};
