import { z } from 'zod';
import type { Context, Services } from '../../platform/context.ts';
import { forDueTenants } from '../../platform/due-tenants.ts';
import { invalid } from '../../platform/errors.ts';
import type { Insights, UnansweredQuery } from './insights.contract.ts';
import * as store from './insights.store.ts';
import { replyTimes } from './durations.ts';
import type { UsageQuery } from './usage.contract.ts';
import { daysOf, previousOf } from './usage.service.ts';

const maxSources = 10;

export async function readInsights({ tx, now }: Context, query: UsageQuery): Promise<Insights> {
  const range = { ...daysOf(query, now), botId: query.botId };
  const before = previousOf(range);
  const all = await store.listDays(tx, { ...range, from: before.from });
  const rows = all.filter(({ day }) => day >= range.from);
  const earlier = all.filter(({ day }) => day < range.from);
  return {
    days: rows.map((row) => ({ day: row.day, botId: row.botId, ...toFigures(row) })),
    total: toFigures(rows.reduce(add, zeroCounts())),
    previous: { ...before, ...toFigures(earlier.reduce(add, zeroCounts())) },
    topSources: await store.topSources(tx, range, maxSources),
  };
}

type DayCounts = Omit<store.Day, 'day' | 'botId'>;

const zeroCounts = (): DayCounts => ({
  messages: 0,
  conversations: 0,
  handoffs: 0,
  closed: 0,
  answered: 0,
  unanswered: 0,
  ratings: 0,
  ratingSum: 0,
  helpfulUp: 0,
  helpfulDown: 0,
  replyMs: 0,
  spendMicros: 0,
  replyBuckets: replyTimes.empty(),
});

function add(all: DayCounts, day: DayCounts): DayCounts {
  const sums = Object.keys(all).map((name) => {
    if (name === 'replyBuckets') return [name, replyTimes.add(all.replyBuckets, day.replyBuckets)];
    const key = name as Exclude<keyof DayCounts, 'replyBuckets'>;
    return [key, all[key] + day[key]];
  });
  return Object.fromEntries(sums) as DayCounts;
}

function toFigures(counted: DayCounts) {
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
      p50: replyTimes.percentile(0.5, replyBuckets),
      p95: replyTimes.percentile(0.95, replyBuckets),
    },
    spend: counted.spendMicros / 1e6,
  };
}

const identifier = z.string().regex(/^[\w-]{1,80}$/);
const Cursor = z.tuple([z.int().min(1).max(2_000_000_000), z.int().min(0).max(8e12), identifier, identifier]);

export async function listUnanswered({ tx, now }: Context, { cursor, limit, ...query }: UnansweredQuery) {
  const range = { ...daysOf(query, now), botId: query.botId };
  const rows = await store.listUnanswered(tx, range, decodeCursor(cursor), limit + 1);
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? encodeCursor(last) : null };
}

/** The position of the last row of a page. Questions asked between two requests may move across it; others are not skipped. */
const encodeCursor = ({ times, lastAskedAt, botId, key }: store.Question) =>
  Buffer.from(JSON.stringify([times, lastAskedAt.getTime(), botId, key])).toString('base64url');

function decodeCursor(cursor: string | undefined): store.UnansweredCursor | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [times, at, botId, key] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { times, lastAskedAt: new Date(at), botId, key };
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

/** Unanswered questions are deleted after the retention period. */
export const purgeOldQuestions = (services: Services): Promise<void> =>
  forDueTenants(services, 'insights', store.oldQuestions, async ({ tx }) => {
    await store.deleteOldQuestions(tx);
    return false;
  });

/** The wording is the visitor's data, so it is deleted with the conversation. */
export const deleteQuestionsOf = ({ tx }: Context, conversationId: string) =>
  store.deleteQuestionsOf(tx, conversationId);
