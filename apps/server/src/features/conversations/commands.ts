import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { updateByExternalId } from '../contacts/index.ts';
import * as contacts from '../contacts/contacts.contract.ts';
import { close, sendAsAgent } from './agent/agents.service.ts';

const text = z.string().trim().min(1).max(4_000);

const SendMessage = z.strictObject({
  conversationId: idOf('conversation'),
  text,
  name: z.string().trim().min(1).max(80).default('Support').describe('Name of the sender, as shown to the visitor.'),
});
const UpdateContact = contacts.UpdateContact.extend({
  environmentId: idOf('environment'),
  externalUserId: z.string().min(1).max(200),
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
      const { contact } = await updateByExternalId(ctx, { environmentId, externalUserId }, change);
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
