import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { Insights, UnansweredQuery } from './insights.contract.ts';
import * as store from './insights.store.ts';
import { addBuckets, emptyBuckets, timeWithin } from './reply-times.ts';
import type { UsageQuery } from './usage.contract.ts';
import { dayOf, daysOf } from './usage.service.ts';

const maxSources = 10;

export async function readInsights({ tx, now }: Context, query: UsageQuery): Promise<Insights> {
  const range = { ...daysOf(query, now), botId: query.botId };
  const rows = await store.listDays(tx, range);
  const total = rows.reduce(add, nothing());
  const { conversations, unresolved } = total;
  return {
    days: rows.map((row) => ({ day: row.day, botId: row.botId, ...toFigures(row) })),
    total: {
      ...toFigures(total),
      // What began on the day before the first may be handed off within the range: never below nothing.
      resolutionRate: conversations === 0 ? null : Math.max(0, 1 - unresolved / conversations),
    },
    topSources: await store.topSources(tx, range, maxSources),
  };
}

type Counted = Omit<store.Day, 'day' | 'botId'>;

const nothing = (): Counted => ({
  messages: 0,
  conversations: 0,
  handoffs: 0,
  unresolved: 0,
  closed: 0,
  answered: 0,
  unanswered: 0,
  ratings: 0,
  ratingSum: 0,
  helpfulUp: 0,
  helpfulDown: 0,
  replyMs: 0,
  spendMicros: 0,
  replyBuckets: emptyBuckets(),
});

function add(all: Counted, day: Counted): Counted {
  const sums = Object.keys(all).map((name) => {
    if (name === 'replyBuckets') return [name, addBuckets(all.replyBuckets, day.replyBuckets)];
    const key = name as Exclude<keyof Counted, 'replyBuckets'>;
    return [key, all[key] + day[key]];
  });
  return Object.fromEntries(sums) as Counted;
}

function toFigures(counted: Counted) {
  const { messages, conversations, handoffs, answered, unanswered, closed, ratings, replyBuckets, replyMs } = counted;
  const replies = replyBuckets.reduce((sum, count) => sum + count, 0);
  return {
    messages,
    conversations,
    handedOff: handoffs,
    answered,
    unanswered,
    closed,
    ratings: { count: ratings, average: ratings === 0 ? null : counted.ratingSum / ratings },
    helpful: { up: counted.helpfulUp, down: counted.helpfulDown },
    responseMs: {
      average: replies === 0 ? null : Math.round(replyMs / replies),
      p50: timeWithin(0.5, replyBuckets),
      p95: timeWithin(0.95, replyBuckets),
    },
    spend: counted.spendMicros / 1e6,
  };
}

const word = z.string().regex(/^[\w-]{1,80}$/);
const Place = z.tuple([z.int().min(1).max(2_000_000_000), z.int().min(0).max(8e12), word, word]);

export async function listUnanswered({ tx, now }: Context, { cursor, limit, ...query }: UnansweredQuery) {
  const range = { ...daysOf(query, now), botId: query.botId };
  const rows = await store.listUnanswered(tx, range, readPlace(cursor), limit + 1);
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? writePlace(last) : null };
}

/** Where a page ended. What is asked meanwhile may move a question over it; none is lost that stays where it is. */
const writePlace = ({ times, lastAskedAt, botId, key }: store.Question) =>
  Buffer.from(JSON.stringify([times, lastAskedAt.getTime(), botId, key])).toString('base64url');

function readPlace(cursor: string | undefined): store.Place | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [times, at, botId, key] = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { times, lastAskedAt: new Date(at), botId, key };
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

const keptDays = 90;

/** Questions are kept for as long as somebody may still want to answer them. */
export const purgeOldQuestions = ({ tx, now }: Context) =>
  store.deleteQuestionsBefore(tx, dayOf(new Date(now.getTime() - keptDays * 86_400_000)));

/** The wording is the visitor's: it goes with all else that they said. */
export const deleteQuestionsOf = ({ tx }: Context, conversationId: string) =>
  store.deleteQuestionsOf(tx, conversationId);
