import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import * as store from './counting.store.ts';
import { bucketOf } from './reply-times.ts';
import { dayOf } from './usage.service.ts';

// Each is called in the transaction that makes it true, so that figures and rows never differ.

/** Somebody who tries a draft is no visitor: nothing of theirs is counted. */
interface Counted {
  id: string;
  botId: string;
  isTest: boolean;
}

interface EndedTurn {
  modelTurns: number;
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
  /** null when the visitor stopped it: then nobody knows, and the time says nothing. */
  isAnswer: boolean | null;
  /** The bot alone does not carry this conversation any more, and did until now. */
  isUnresolved: boolean;
  waitedMs: number;
  question: string;
  documentIds: readonly string[];
}

/** A turn at its end, with the sources that its reply cites, or the question that it could not answer. */
export async function countTurn(ctx: Context, { id, botId, isTest }: Counted, turn: EndedTurn): Promise<void> {
  if (isTest) return;
  const { isAnswer, waitedMs, question, documentIds, isUnresolved, ...used } = turn;
  const key = isAnswer === false ? questionKey(question) : undefined;
  await store.addTurn(ctx.tx, {
    ...used,
    day: dayOf(ctx.now),
    botId,
    answered: isAnswer === true ? 1 : 0,
    unanswered: isAnswer === false ? 1 : 0,
    unresolved: isUnresolved ? 1 : 0,
    reply: isAnswer === null ? undefined : { ms: Math.max(0, waitedMs), bucket: bucketOf(waitedMs) },
    documentIds: isAnswer === true ? [...new Set(documentIds)] : [],
    question:
      key === undefined
        ? undefined
        : { key, example: question.slice(0, longest), conversationId: id, askedAt: ctx.now },
  });
}

const longest = 300;

/** The same for whoever asks the same, however they write it. undefined: there is no word in it. */
export function questionKey(question: string): string | undefined {
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words === '' ? undefined : createHash('sha256').update(words.slice(0, longest)).digest('base64url');
}

/** What happens to a conversation, on the day it happens. */
export async function countFor(ctx: Context, { botId, isTest }: Counted, counts: store.Counts, day = dayOf(ctx.now)) {
  if (!isTest) await store.addCounts(ctx.tx, day, botId, counts);
}

/** Once for each conversation, and once more if the bot had carried it alone until now. */
export const countHandoff = (
  ctx: Context,
  conversation: Counted & { isHandedOff: boolean; isUnresolved: boolean },
): Promise<void> =>
  conversation.isHandedOff
    ? Promise.resolve()
    : countFor(ctx, conversation, { handoffs: 1, unresolved: conversation.isUnresolved ? 0 : 1 });

/** A conversation's rating. One that is changed is changed on the day that it was counted; says which that is. */
export async function countRating(
  ctx: Context,
  conversation: Counted & { rating: number | null; ratedOn: string | null },
  rating: number,
): Promise<string> {
  const { ratedOn } = conversation;
  if (ratedOn === null) await countFor(ctx, conversation, { ratings: 1, ratingSum: rating });
  else await countFor(ctx, conversation, { ratingSum: rating - (conversation.rating ?? 0) }, ratedOn);
  return ratedOn ?? dayOf(ctx.now);
}

/** Whether a reply helped. The last word holds: an earlier one is taken back where it was counted. */
export async function countHelpful(
  ctx: Context,
  conversation: Counted,
  isHelpful: boolean,
  earlier: { isHelpful: boolean; at: Date } | undefined,
): Promise<void> {
  if (earlier?.isHelpful === isHelpful) return;
  const name = (isUp: boolean) => (isUp ? 'helpfulUp' : 'helpfulDown');
  if (earlier) await countFor(ctx, conversation, { [name(earlier.isHelpful)]: -1 }, dayOf(earlier.at));
  await countFor(ctx, conversation, { [name(isHelpful)]: 1 });
}
