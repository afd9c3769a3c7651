import { agentTimes } from '../durations.ts';
import type { Outcome } from './outcomes.contract.ts';

// What a conversation contributes to the figures, as pure functions of its columns. A change moves it from one count to
// another, so that each conversation is counted once.

/** Columns of `conversations` that decide how it is counted. */
export interface OutcomeColumns {
  /** What the outcome would be if it ended now. null: it started before outcomes were counted, or is a test. */
  outcome: Outcome | null;
  /** Whether the bot answered the last question. null before the first one. */
  isAnswered: boolean | null;
  /** The bot's last reply to a question, and the visitor's rating of it. */
  lastReplyId: string | null;
  isHelpful: boolean | null;
  rating: number | null;
  cameBack: boolean;
  /** Each the first time. */
  handoffRequestedAt: Date | null;
  agentJoinedAt: Date | null;
  agentRepliedAt: Date | null;
  closedAt: Date | null;
}

type Facts = Omit<OutcomeColumns, 'outcome'>;

/** The definitions are in the contract, in `Outcome`. */
export function outcomeOf({ agentJoinedAt, handoffRequestedAt, rating, isHelpful, isAnswered }: Facts): Outcome {
  if (agentJoinedAt !== null) return 'handed_off';
  // A request reopens the question: whatever the visitor said about earlier answers, they still needed an agent.
  if (handoffRequestedAt !== null && isAnswered !== true) return 'abandoned';
  const isSatisfied = verdictOf(rating, isHelpful);
  if (isSatisfied === true) return 'resolved_confirmed';
  return isSatisfied !== false && isAnswered === true ? 'resolved_assumed' : 'abandoned';
}

/** What the visitor said about the help; undefined if nothing. A rating says more than a thumb. */
function verdictOf(rating: number | null, isHelpful: boolean | null): boolean | undefined {
  if (rating !== null && rating !== 3) return rating > 3;
  return isHelpful ?? undefined;
}

export const countNames = [
  'conversations',
  'resolvedConfirmed',
  'resolvedAssumed',
  'handedOff',
  'abandoned',
  'cameBack',
  'ratings',
  'satisfied',
  'firstResponses',
  'firstResponseMs',
  'handled',
  'handlingMs',
] as const;
type CountName = (typeof countNames)[number];
export type Counts = Record<CountName, number> & {
  firstResponseBuckets: number[];
  handlingBuckets: number[];
};

/** What one conversation adds to the counts of its day. */
export function countsOf(facts: Facts): Counts {
  const outcome = outcomeOf(facts);
  const { rating, cameBack, handoffRequestedAt, agentJoinedAt, agentRepliedAt, closedAt } = facts;
  const firstResponse = elapsed(handoffRequestedAt, agentRepliedAt);
  const handling = elapsed(agentJoinedAt, closedAt);
  return {
    conversations: 1,
    resolvedConfirmed: Number(outcome === 'resolved_confirmed'),
    resolvedAssumed: Number(outcome === 'resolved_assumed'),
    handedOff: Number(outcome === 'handed_off'),
    abandoned: Number(outcome === 'abandoned'),
    cameBack: Number(cameBack),
    ratings: Number(rating !== null),
    satisfied: Number((rating ?? 0) >= 4),
    firstResponses: Number(firstResponse !== null),
    firstResponseMs: firstResponse ?? 0,
    firstResponseBuckets: bucketsOf(firstResponse),
    handled: Number(handling !== null),
    handlingMs: handling ?? 0,
    handlingBuckets: bucketsOf(handling),
  };
}

export const elapsed = (from: Date | null, to: Date | null): number | null =>
  from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime());

function bucketsOf(ms: number | null): number[] {
  const buckets = agentTimes.empty();
  if (ms !== null) buckets[agentTimes.bucketOf(ms) - 1] = 1;
  return buckets;
}

/** A conversation before its first message. */
export const newOutcome = (): OutcomeColumns => ({
  outcome: 'abandoned',
  isAnswered: null,
  lastReplyId: null,
  isHelpful: null,
  rating: null,
  cameBack: false,
  handoffRequestedAt: null,
  agentJoinedAt: null,
  agentRepliedAt: null,
  closedAt: null,
});

export interface OutcomeChange {
  /** Columns to write with the change. */
  columns: Partial<OutcomeColumns>;
  /** What to add to the counts; undefined if they stay the same. */
  counts: Counts | undefined;
}

/** The effect of a change on a conversation that the caller has locked. */
export function changeOutcome(before: OutcomeColumns, change: Partial<Facts>): OutcomeChange {
  if (before.outcome === null) return { columns: change, counts: undefined };
  const after = { ...before, ...change };
  return { columns: { ...change, outcome: outcomeOf(after) }, counts: difference(countsOf(before), countsOf(after)) };
}

function difference(before: Counts, after: Counts): Counts | undefined {
  const subtract = (name: 'firstResponseBuckets' | 'handlingBuckets') =>
    after[name].map((count, index) => count - (before[name][index] ?? 0));
  const counts = {
    ...(Object.fromEntries(countNames.map((name) => [name, after[name] - before[name]])) as Record<CountName, number>),
    firstResponseBuckets: subtract('firstResponseBuckets'),
    handlingBuckets: subtract('handlingBuckets'),
  };
  return countNames.some((name) => counts[name] !== 0) ? counts : undefined;
}
