import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import * as store from './counting.store.ts';
import { replyTimes } from './durations.ts';
import { dayOf } from './usage.service.ts';

// Call these in the transaction of the change, so that counts and rows never differ.

/** Test conversations are not counted. */
interface CountedConversation {
  id: string;
  botId: string;
  isTest: boolean;
}

interface TurnResult {
  modelTurns: number;
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
  /** null if the visitor stopped the reply. */
  isAnswer: boolean | null;
  waitedMs: number;
  question: string;
  documentIds: readonly string[];
}

/** Counts a finished turn with its cited sources or its unanswered question. */
export async function countTurn(
  ctx: Context,
  { id, botId, isTest }: CountedConversation,
  turn: TurnResult,
): Promise<void> {
  if (isTest) return;
  const { isAnswer, waitedMs, question, documentIds, ...used } = turn;
  const key = isAnswer === false ? questionKey(question) : undefined;
  await store.addTurn(ctx.tx, {
    ...used,
    day: dayOf(ctx.now),
    botId,
    answered: isAnswer === true ? 1 : 0,
    unanswered: isAnswer === false ? 1 : 0,
    reply: isAnswer === null ? undefined : { ms: Math.max(0, waitedMs), bucket: replyTimes.bucketOf(waitedMs) },
    documentIds: isAnswer === true ? [...new Set(documentIds)] : [],
    question:
      key === undefined
        ? undefined
        : { key, example: question.slice(0, maxQuestionLength), conversationId: id, askedAt: ctx.now },
  });
}

const maxQuestionLength = 300;

/** A key that ignores capitals, punctuation and spaces. undefined if nothing else is left. */
export function questionKey(question: string): string | undefined {
  const normalized = question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return normalized === ''
    ? undefined
    : createHash('sha256').update(normalized.slice(0, maxQuestionLength)).digest('base64url');
}

/** Adds counts for a conversation, today by default. */
export async function countFor(
  ctx: Context,
  { botId, isTest }: CountedConversation,
  counts: store.Counts,
  day = dayOf(ctx.now),
) {
  if (!isTest) await store.addCounts(ctx.tx, day, botId, counts);
}

/** Counts a conversation once. */
export const countHandoff = (
  ctx: Context,
  conversation: CountedConversation & { isHandedOff: boolean },
): Promise<void> => (conversation.isHandedOff ? Promise.resolve() : countFor(ctx, conversation, { handoffs: 1 }));

/** Counts a rating. A changed rating is corrected on the day it was first counted, which is returned. */
export async function countRating(
  ctx: Context,
  conversation: CountedConversation & { rating: number | null; ratedOn: string | null },
  rating: number,
): Promise<string> {
  const { ratedOn } = conversation;
  if (ratedOn === null) await countFor(ctx, conversation, { ratings: 1, ratingSum: rating });
  else await countFor(ctx, conversation, { ratingSum: rating - (conversation.rating ?? 0) }, ratedOn);
  return ratedOn ?? dayOf(ctx.now);
}

/** Counts whether a reply was helpful. A changed rating is subtracted on the day it was counted. */
export async function countHelpful(
  ctx: Context,
  conversation: CountedConversation,
  isHelpful: boolean,
  earlier: { isHelpful: boolean; at: Date } | undefined,
): Promise<void> {
  if (earlier?.isHelpful === isHelpful) return;
  const name = (isUp: boolean) => (isUp ? 'helpfulUp' : 'helpfulDown');
  if (earlier) await countFor(ctx, conversation, { [name(earlier.isHelpful)]: -1 }, dayOf(earlier.at));
  await countFor(ctx, conversation, { [name(isHelpful)]: 1 });
}
