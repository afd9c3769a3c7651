import type { Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { countHandoff } from '../../usage/index.ts';
import * as events from '../conversations.events.ts';
import type { LockedConversation } from '../conversations.store.ts';
import { append } from '../log/log.store.ts';
import { eventContext } from './accept.ts';

/** Lets a conversation that the bot has wait for a person. The caller has locked it. */
export async function requestPerson(ctx: Context, conversation: LockedConversation, reason: string): Promise<void> {
  const [seq = 0] = await append(
    ctx,
    conversation.id,
    [{ type: 'conversation.updated', payload: { state: 'waiting_human', reason } }],
    { state: 'waiting_human', waitingSince: ctx.now, isHandedOff: true, isUnresolved: true },
  );
  await countHandoff(ctx, conversation);
  const object = { ...conversation, state: 'waiting_human' as const, lastSeq: seq };
  await emit(ctx, events.handoffRequested, conversation.id, { object }, eventContext(conversation, seq));
}
