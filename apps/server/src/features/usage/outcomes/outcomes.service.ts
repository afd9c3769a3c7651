import type { Context } from '../../../platform/context.ts';
import { readCursor, readTimeCursor, toPage, toTimePage } from '../../../platform/lists.ts';
import { agentTimes } from '../durations.ts';
import { daysOf, previousOf } from '../usage.service.ts';
import { busiestHours } from './busiest-hours.ts';
import { countNames, elapsed, type Counts } from './outcome.ts';
import type {
  CommentsQuery,
  ConversationOutcome,
  OutcomeFigures,
  OutcomeListQuery,
  Outcomes,
  OutcomesQuery,
} from './outcomes.contract.ts';
import * as store from './outcomes.store.ts';

/** After this silence, the outcome of a conversation is decided. The visitor's next message starts another one. */
const openMs = 24 * 3_600_000;
const openSince = (now: Date) => new Date(now.getTime() - openMs);

export async function readOutcomes({ tx, now }: Context, query: OutcomesQuery): Promise<Outcomes> {
  const { botId, channel, language, timeZone } = query;
  const range = daysOf(query, now);
  const before = previousOf(range);
  const all = await store.listDays(tx, { from: before.from, to: range.to, botId, channel, language }, openSince(now));
  const rows = all.filter(({ day }) => day >= range.from);
  const earlier = all.filter(({ day }) => day < range.from);
  return {
    total: figuresOf(rows),
    previous: { ...before, ...figuresOf(earlier) },
    days: grouped(rows, ({ day }) => day).map(([day, of]) => ({ day, ...figuresOf(of) })),
    previousDays: grouped(earlier, ({ day }) => day).map(([day, of]) => ({ day, ...figuresOf(of) })),
    bots: bySize(grouped(rows, (row) => row.botId).map(([id, of]) => ({ botId: id, ...figuresOf(of) }))),
    channels: bySize(grouped(rows, (row) => row.channel).map(([name, of]) => ({ channel: name, ...figuresOf(of) }))),
    languages: bySize(grouped(rows, (row) => row.language).map(([code, of]) => ({ language: code, ...figuresOf(of) }))),
    busiestHours: { timeZone, counts: busiestHours(rows, timeZone) },
  };
}

const grouped = <K extends string>(rows: readonly store.OutcomeDay[], key: (row: store.OutcomeDay) => K) => [
  ...Map.groupBy(rows, key),
];

const bySize = <T extends { conversations: number }>(groups: T[]): T[] =>
  groups.toSorted((a, b) => b.conversations - a.conversations);

function figuresOf(rows: readonly store.OutcomeDay[]): OutcomeFigures {
  const sum = (of: (row: store.OutcomeDay) => number) => rows.reduce((all, row) => all + of(row), 0);
  const counted = Object.fromEntries(countNames.map((name) => [name, sum((row) => row[name])])) as Omit<
    Counts,
    'firstResponseBuckets' | 'handlingBuckets'
  >;
  const decided = {
    resolvedConfirmed: counted.resolvedConfirmed - sum((row) => row.openResolvedConfirmed),
    resolvedAssumed: counted.resolvedAssumed - sum((row) => row.openResolvedAssumed),
    handedOff: counted.handedOff - sum((row) => row.openHandedOff),
    abandoned: counted.abandoned - sum((row) => row.openAbandoned),
  };
  const { resolvedConfirmed, resolvedAssumed, handedOff, abandoned } = decided;
  const total = resolvedConfirmed + resolvedAssumed + handedOff + abandoned;
  const { conversations, cameBack, ratings, satisfied } = counted;
  return {
    conversations,
    open: conversations - total,
    ...decided,
    cameBack,
    resolutionRate: total === 0 ? null : (resolvedConfirmed + resolvedAssumed) / total,
    csat: { ratings, satisfied, score: ratings === 0 ? null : satisfied / ratings },
    firstResponse: duration(rows, counted.firstResponses, counted.firstResponseMs, 'firstResponseBuckets'),
    handling: duration(rows, counted.handled, counted.handlingMs, 'handlingBuckets'),
  };
}

function duration(
  rows: readonly store.OutcomeDay[],
  count: number,
  ms: number,
  name: 'firstResponseBuckets' | 'handlingBuckets',
) {
  const buckets = rows.reduce((all, row) => agentTimes.add(all, row[name]), agentTimes.empty());
  return {
    count,
    average: count === 0 ? null : Math.round(ms / count),
    p50: agentTimes.percentile(0.5, buckets),
    p95: agentTimes.percentile(0.95, buckets),
  };
}

const filterOf = ({ botId, channel, language, ...query }: OutcomeListQuery | CommentsQuery, now: Date) => ({
  ...daysOf(query, now),
  botId,
  channel,
  language,
});

export async function listOutcomes({ tx, now }: Context, query: OutcomeListQuery) {
  const rows = await store.listConversations(tx, filterOf(query, now), readCursor(query.cursor), query.limit + 1);
  const { data, nextCursor } = toPage(rows, query.limit);
  return { data: data.map((row) => toOutcome(row, now)), nextCursor };
}

function toOutcome(row: store.OutcomeRow, now: Date): ConversationOutcome {
  const { state, outcome, createdAt, handoffRequestedAt, agentJoinedAt, agentRepliedAt, ...rest } = row;
  const isOpen = state !== 'closed' && row.lastMessageAt > openSince(now);
  return {
    ...rest,
    outcome: isOpen ? 'open' : outcome,
    startedAt: createdAt,
    firstResponseMs: elapsed(handoffRequestedAt, agentRepliedAt),
    handlingMs: elapsed(agentJoinedAt, row.closedAt),
  };
}

export async function listComments({ tx, now }: Context, query: CommentsQuery) {
  const rows = await store.listComments(tx, filterOf(query, now), readTimeCursor(query.cursor), query.limit + 1);
  const { data, nextCursor } = toTimePage(rows, query.limit);
  return { data: data.map(({ id, ...row }) => ({ conversationId: id, ...row })), nextCursor };
}
