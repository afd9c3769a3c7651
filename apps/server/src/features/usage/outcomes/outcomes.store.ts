import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { firstId } from '../../../platform/ids.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { cursorTime, type TimePosition } from '../../../platform/lists.ts';
import { prepared } from '../../../platform/prepared.ts';
import type { Counts } from './outcome.ts';
import type { Channel, Outcome } from './outcomes.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export interface DayKey {
  day: string;
  botId: string;
  channel: string;
  language: string;
}
export type DayChange = DayKey & Partial<Counts> & { hours?: number[] };

const numbers = [
  'conversations',
  'resolved_confirmed',
  'resolved_assumed',
  'handed_off',
  'abandoned',
  'came_back',
  'ratings',
  'satisfied',
  'first_responses',
  'first_response_ms',
  'handled',
  'handling_ms',
] as const;
const arrays = ['first_response_buckets', 'handling_buckets', 'hours'] as const;
const columns = sql.raw([...numbers, ...arrays].join(', '));
const sums = sql.raw(
  [
    ...numbers.map((name) => `${name} = outcome_days.${name} + excluded.${name}`),
    ...arrays.map((name) => `${name} = add_counts(outcome_days.${name}, excluded.${name})`),
  ].join(', '),
);

/** One statement, in the order of the key, so that two transactions with several rows never wait for each other. */
export const addDays = (tx: Tx, changes: readonly DayChange[]) => {
  const rows = changes.map((change) => ({
    ...change,
    key: [change.day, change.botId, change.channel, change.language].join(' '),
  }));
  const sorted = rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const values = sorted.map(
    (row) => sql`(${row.day}::date, ${row.botId}, ${row.channel}, ${row.language}, ${row.conversations ?? 0}::int,
      ${row.resolvedConfirmed ?? 0}::int, ${row.resolvedAssumed ?? 0}::int, ${row.handedOff ?? 0}::int,
      ${row.abandoned ?? 0}::int, ${row.cameBack ?? 0}::int, ${row.ratings ?? 0}::int, ${row.satisfied ?? 0}::int,
      ${row.firstResponses ?? 0}::int, ${row.firstResponseMs ?? 0}::bigint, ${row.handled ?? 0}::int,
      ${row.handlingMs ?? 0}::bigint, ${row.firstResponseBuckets ?? []}::int[], ${row.handlingBuckets ?? []}::int[],
      ${row.hours ?? []}::int[])`,
  );
  return sql`insert into outcome_days (day, bot_id, channel, language, ${columns}) values ${sql.join(values)}
    on conflict (tenant_id, day, bot_id, channel, language) do update set ${sums}`.execute(prepared(tx));
};

/** Marks that the visitor came back. undefined if they had before, or if it is not counted. */
export async function markCameBack(
  tx: Tx,
  id: string,
): Promise<(Omit<DayKey, 'day'> & { createdAt: Date }) | undefined> {
  return prepared(tx)
    .updateTable('conversations')
    .set({ cameBack: true })
    .where('id', '=', id)
    .where('cameBack', '=', false)
    .where('outcome', 'is not', null)
    .returning(['botId', 'channel', 'language', 'createdAt'])
    .executeTakeFirst();
}

export interface Filter {
  from: string;
  to: string;
  botId: string | undefined;
  channel: string | undefined;
  language: string | undefined;
}

const matches = ({ botId, channel, language }: Filter) => sql`
  ${botId === undefined ? sql`` : sql`and bot_id = ${botId}`}
  ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
  ${language === undefined ? sql`` : sql`and language = ${language}`}`;

export type OutcomeDay = Omit<DayKey, 'botId' | 'channel'> &
  Counts & { botId: Id<'bot'>; channel: Channel; hours: number[] } & Record<`open${Capitalize<OpenName>}`, number>;
type OpenName = 'resolvedConfirmed' | 'resolvedAssumed' | 'handedOff' | 'abandoned';

/**
 * The counts of each day, and how many of them are of open conversations: those with a message after `openSince` that are
 * not closed. They are read from the index by state and last message, so this costs one day's conversations at most. A
 * single statement, so that both are of the same moment.
 */
export async function listDays(tx: Tx, filter: Filter, openSince: Date): Promise<OutcomeDay[]> {
  const { rows } = await sql<Record<keyof OutcomeDay, never> & { firstResponseMs: string; handlingMs: string }>`
    with open as (
      select (created_at at time zone 'UTC')::date as day, bot_id, channel, language,
        count(*) filter (where outcome = 'resolved_confirmed')::int as open_resolved_confirmed,
        count(*) filter (where outcome = 'resolved_assumed')::int as open_resolved_assumed,
        count(*) filter (where outcome = 'handed_off')::int as open_handed_off,
        count(*) filter (where outcome = 'abandoned')::int as open_abandoned
      from unnest(array['bot', 'waiting_human', 'human']) as open_state, lateral (
        select created_at, bot_id, channel, language, outcome from conversations
        where state = open_state and last_message_at > ${openSince} and outcome is not null ${matches(filter)}) as recent
      group by 1, 2, 3, 4)
    select to_char(outcome_days.day, 'YYYY-MM-DD') as day, bot_id, channel, language, ${columns},
      coalesce(open_resolved_confirmed, 0) as open_resolved_confirmed,
      coalesce(open_resolved_assumed, 0) as open_resolved_assumed,
      coalesce(open_handed_off, 0) as open_handed_off, coalesce(open_abandoned, 0) as open_abandoned
    from outcome_days left join open using (day, bot_id, channel, language)
    where outcome_days.day between ${filter.from}::date and ${filter.to}::date ${matches(filter)}
    order by outcome_days.day`.execute(tx);
  return rows.map((row) => ({
    ...(row as unknown as OutcomeDay),
    firstResponseMs: Number(row.firstResponseMs),
    handlingMs: Number(row.handlingMs),
  }));
}

export interface OutcomeRow {
  id: Id<'conversation'>;
  botId: Id<'bot'>;
  channel: Channel;
  language: string;
  state: string;
  outcome: Outcome;
  cameBack: boolean;
  messageCount: number;
  rating: number | null;
  comment: string | null;
  createdAt: Date;
  lastMessageAt: Date;
  closedAt: Date | null;
  handoffRequestedAt: Date | null;
  agentJoinedAt: Date | null;
  agentRepliedAt: Date | null;
}

/** Conversations started in these days. Ids sort by age, so the primary key has them in order. */
const startedIn = ({ from, to }: Filter) => sql`
  id >= ${firstId('conversation', Date.parse(from))} and id < ${firstId('conversation', Date.parse(to) + 86_400_000)}`;

/** Newest first. */
export async function listConversations(tx: Tx, filter: Filter, before: string | undefined, max: number) {
  const { rows } = await sql<OutcomeRow>`
    select id, bot_id, channel, language, state, outcome, came_back, message_count, rating, rating_comment as comment,
      created_at, last_message_at, closed_at, handoff_requested_at, agent_joined_at, agent_replied_at
    from conversations where ${startedIn(filter)} and outcome is not null ${matches(filter)}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${max}`.execute(tx);
  return rows;
}

interface CommentRow {
  id: Id<'conversation'>;
  botId: Id<'bot'>;
  rating: number;
  comment: string;
  ratedAt: Date;
  cursorTime: string;
}
/** Newest first. */
export async function listComments(tx: Tx, filter: Filter, after: TimePosition | undefined, max: number) {
  const rest = after === undefined ? sql`` : sql`and (rated_at, id) < (${after.at}::timestamptz, ${after.id})`;
  const { rows } = await sql<CommentRow>`
    select id, bot_id, rating, rating_comment as comment, rated_at, ${cursorTime('rated_at')} as cursor_time
    from conversations
    where rating_comment is not null and rated_at >= ${filter.from}::date and outcome is not null
      and ${startedIn(filter)} ${matches(filter)} ${rest}
    order by rated_at desc, id desc limit ${max}`.execute(tx);
  return rows;
}
