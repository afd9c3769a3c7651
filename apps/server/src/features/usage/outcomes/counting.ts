import type { Context } from '../../../platform/context.ts';
import { dayOf } from '../usage.service.ts';
import { countsOf, newOutcome, type OutcomeChange } from './outcome.ts';
import * as store from './outcomes.store.ts';

// Call these in the transaction of the change, after the counts of the day (`counting.ts`), in the same order everywhere.

interface CountedConversation {
  botId: string;
  channel: string;
  language: string;
  createdAt: Date;
}

const keyOf = ({ botId, channel, language, createdAt }: CountedConversation) => ({
  day: dayOf(createdAt),
  botId,
  channel,
  language,
});

/** Counts a change on the day on which the conversation started. */
export async function countOutcome(
  ctx: Context,
  conversation: CountedConversation,
  { counts }: OutcomeChange,
): Promise<void> {
  if (counts) await store.addDays(ctx.tx, [{ ...keyOf(conversation), ...counts }]);
}

const daysToComeBack = 7;

/** Notes that the visitor of this conversation starts another one. Locks it, so call this before anything is counted. */
export async function noteReturn(
  { tx, now }: Context,
  last: { id: string; lastMessageAt: Date } | undefined,
): Promise<CountedConversation | undefined> {
  if (!last || now.getTime() - last.lastMessageAt.getTime() > daysToComeBack * 86_400_000) return undefined;
  return store.markCameBack(tx, last.id);
}

/** Counts a new conversation, and the earlier one from which the visitor came back. */
export async function countStart(
  { tx }: Context,
  conversation: CountedConversation,
  earlier: CountedConversation | undefined,
): Promise<void> {
  const hours = Array.from({ length: 24 }, (_, hour) => Number(hour === conversation.createdAt.getUTCHours()));
  const start = { ...keyOf(conversation), ...countsOf(newOutcome()), hours };
  if (!earlier) return void (await store.addDays(tx, [start]));
  const key = keyOf(earlier);
  const isSameRow = (Object.keys(key) as (keyof typeof key)[]).every((name) => key[name] === start[name]);
  await store.addDays(tx, isSameRow ? [{ ...start, cameBack: 1 }] : [start, { ...key, cameBack: 1 }]);
}
