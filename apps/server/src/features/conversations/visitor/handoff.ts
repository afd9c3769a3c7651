import type { Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { handedOffText, replyLanguage } from '../../answers/index.ts';
import { contentOf } from '../../bots/index.ts';
import { awayMessageOf } from '../../business-hours/index.ts';
import { changeOutcome, countHandoff, countOutcome } from '../../usage/index.ts';
import { assignWaiting } from '../assignment/assign.ts';
import { changeTimer } from '../assignment/waiting-timer.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import type { LockedConversation } from '../conversations.store.ts';
import { append, messagesBefore, toMessage, type Entry } from '../log/log.store.ts';
import { eventContext } from './accept.ts';

/** What the bot says when a visitor used the button, as it would to a written request. */
export async function confirmRequest(
  ctx: Context,
  conversation: LockedConversation,
  { sendsEmail }: { sendsEmail: boolean },
): Promise<void> {
  const content = await contentOf(ctx.tx, conversation.versionId);
  if (!content) return;
  const recent = await messagesBefore(ctx.tx, conversation.id, { max: 10 });
  const written = recent.find(({ role }) => role === 'visitor')?.text ?? '';
  const language = await replyLanguage(content.languages, { text: written });
  const text = handedOffText(content, {
    language,
    asksForEmail: sendsEmail && conversation.contactId === null,
    awayMessage: await awayMessageOf(ctx, conversation.botId),
  });
  await say(ctx, conversation, text);
}

/** Adds a message of the bot that belongs to no turn. */
export async function say(ctx: Context, conversation: Conversation, text: string): Promise<void> {
  const entry: Entry = { type: 'message.created', messageId: newId('message'), payload: { role: 'bot', text } };
  const [seq = 0] = await append(ctx, conversation.id, [entry]);
  const message = toMessage({ ...entry, seq, createdAt: ctx.now });
  if (message) await emit(ctx, events.messageCreated, message.id, { object: message }, eventContext(conversation, seq));
}

/** Lets a conversation that the bot has wait for a person. The caller has locked it. */
export async function requestPerson(ctx: Context, conversation: LockedConversation, reason: string): Promise<void> {
  // The bot's answers were not enough, so the question is open again until an agent joins or the bot answers it.
  const handoffRequestedAt = conversation.handoffRequestedAt ?? ctx.now;
  const outcome = changeOutcome(conversation, { isAnswered: false, handoffRequestedAt });
  const [seq = 0] = await append(
    ctx,
    conversation.id,
    [{ type: 'conversation.updated', payload: { state: 'waiting_human', reason } }],
    { state: 'waiting_human', waitingSince: ctx.now, isHandedOff: true, ...outcome.columns },
  );
  later(ctx.tx, countHandoff(ctx, conversation));
  later(ctx.tx, countOutcome(ctx, conversation, outcome));
  const object = { ...conversation, state: 'waiting_human' as const, waitingSince: ctx.now, lastSeq: seq };
  await emit(ctx, events.handoffRequested, conversation.id, { object }, eventContext(conversation, seq));
  later(ctx.tx, changeTimer(ctx, conversation, ctx.now));
  await assignWaiting(ctx, object);
}
