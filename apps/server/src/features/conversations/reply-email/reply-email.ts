import { z } from 'zod';
import type { Context } from '../../../platform/context.ts';
import { queueDelayedEmail } from '../../../platform/emails.ts';
import { replyLanguage, textsIn } from '../../answers/index.ts';
import { contentOf } from '../../bots/index.ts';
import * as store from '../conversations.store.ts';
import { append } from '../log/log.store.ts';
import { say } from '../visitor/handoff.ts';
import { addressEntry, findReplyAddress } from './reply-email.store.ts';

// A visitor who waits for a person may write an email address into the chat. What agents write is then also sent there, with a
// link back. The address is part of the log, so it is erased with it.

export const replyEmail = 'conversation-reply'; // stored: renaming it abandons queued emails
/** Messages that follow each other within this time are sent together. */
export const replyDelaySeconds = 120;

const Address = z.email().max(254);

/** The first email address in a message. */
export function emailIn(text: string): string | undefined {
  if (!text.includes('@')) return undefined;
  const candidates = text.split(/[\s<>()"',;:]/u).filter((token) => token.includes('@'));
  return candidates.map((token) => token.replace(/[.!?]$/u, '')).find((token) => Address.safeParse(token).success);
}

/** Notes the address in a message to a person, and confirms it while no agent has the conversation. */
export async function noteReplyAddress(
  ctx: Context,
  conversationId: string,
  { message: text, context }: { message: string; context?: { language?: string | undefined } | undefined },
): Promise<void> {
  const email = emailIn(text);
  if (!email) return;
  const conversation = await store.lock(ctx.tx, conversationId);
  const known = await findReplyAddress(ctx.tx, conversationId);
  if (!conversation || known?.email === email) return;
  const content = await contentOf(ctx.tx, conversation.versionId);
  const language = await replyLanguage(content?.languages ?? [], { text, language: context?.language });
  await append(ctx, conversationId, [{ type: addressEntry, payload: { email, language } }]);
  if (conversation.state !== 'waiting_human') return;
  await say(
    ctx,
    conversation,
    textsIn(language).replyEmail.noted.replace('{email}', () => email),
  );
}

/** After an agent's message. The email is written later, and not at all if the visitor has come back until then. */
export async function queueReplyEmail(ctx: Context, conversationId: string, seq: number): Promise<void> {
  const address = await findReplyAddress(ctx.tx, conversationId);
  if (!address) return;
  const data = { tenantId: ctx.tenantId, conversationId, seq };
  await queueDelayedEmail(ctx.tx, replyEmail, address.email, data, replyDelaySeconds);
}
