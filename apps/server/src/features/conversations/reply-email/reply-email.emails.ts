import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import { plainName, renderEmail } from '../../../platform/email-layout.ts';
import type { EmailRenderers } from '../../../platform/emails.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { textsIn } from '../../answers/index.ts';
import { contentOf, isOriginAllowed } from '../../bots/index.ts';
import type { Message } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { messagesBefore } from '../log/log.store.ts';
import { replyDelaySeconds, replyEmail } from './reply-email.ts';
import { findAllowedOrigins, findReplyAddress, findTenantName } from './reply-email.store.ts';

const maxMessages = 50;

export const replyEmails = (services: Services): EmailRenderers => ({
  [replyEmail]: async ({ data, recipient }) => {
    const { tenantId, conversationId, seq } = data as { tenantId: Id<'tenant'>; conversationId: string; seq: number };
    const found = await inTenant(
      services,
      asSystem(tenantId, 'emails'),
      (ctx) => readReply(ctx, conversationId, { seq, recipient }),
      { readOnly: true },
    );
    if (!found) return null;
    const { messages, title, language, url } = found;
    const texts = textsIn(language).replyEmail;
    const fill = (text: string) => text.replaceAll('{title}', () => plainName(title));
    const name = plainName(messages.at(-1)?.agent?.name || texts.team);
    return renderEmail({
      locale: language,
      subject: fill(texts.subject),
      greeting: texts.hello,
      paragraphs: [
        texts.intro.replace('{name}', () => name),
        ...messages.flatMap(({ text }) => text.split(/\n+/u).filter((line) => line.trim() !== '')),
      ],
      ...(url && { button: { label: texts.button, url } }),
      footnotes: [fill(texts.why)],
    });
  },
});

/** undefined if the email is not needed: the visitor is back, was erased, or a later message will be sent with this one. */
async function readReply(
  { tx }: Context,
  conversationId: string,
  { seq, recipient }: { seq: number; recipient: string },
) {
  const conversation = await store.find(tx, conversationId);
  const address = conversation && (await findReplyAddress(tx, conversationId));
  if (!conversation || address?.email !== recipient) return undefined;
  const newest = await messagesBefore(tx, conversationId, { max: maxMessages });
  const messages = unreadUpTo(newest.toReversed(), seq);
  if (messages.length === 0) return undefined;
  const content = await contentOf(tx, conversation.versionId);
  const { pageUrl, botId } = conversation;
  // The page is what the visitor's browser said: only the tenant's own pages are linked to.
  const isOwnPage = isOriginAllowed(await findAllowedOrigins(tx, botId), URL.parse(pageUrl ?? '')?.origin);
  return {
    messages,
    title: content?.title || (await findTenantName(tx)),
    language: address.language,
    url: isOwnPage ? pageUrl : null,
  };
}

/**
 * The messages of agents to send when the one at `seq` is due: those since the visitor last wrote, up to it, that no earlier
 * email had. None if the visitor wrote after it, or an agent wrote more shortly after, which is then sent with it.
 */
export function unreadUpTo<M extends Pick<Message, 'seq' | 'role' | 'createdAt'>>(
  messages: readonly M[],
  seq: number,
): M[] {
  const lastOwn = messages.findLast(({ role }) => role === 'visitor')?.seq ?? 0;
  const replies = messages.filter((message) => message.role === 'agent' && message.seq > lastOwn);
  const isFollowed = (at: number) => {
    const [one, next] = [replies[at], replies[at + 1]];
    return one && next && next.createdAt.getTime() - one.createdAt.getTime() < replyDelaySeconds * 1_000;
  };
  const last = replies.findIndex((message) => message.seq === seq);
  if (last === -1 || isFollowed(last)) return [];
  let first = last;
  while (first > 0 && isFollowed(first - 1)) first--;
  return replies.slice(first, last + 1);
}
