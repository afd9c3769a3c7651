import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

interface Range {
  from: string;
  to: string;
  botId: string | undefined;
}

const within = ({ from, to, botId }: Range) =>
  sql`day between ${from}::date and ${to}::date ${botId === undefined ? sql`` : sql`and bot_id = ${botId}`}`;

export interface Day {
  day: string;
  botId: Id<'bot'>;
  messages: number;
  conversations: number;
  handoffs: number;
  closed: number;
  answered: number;
  unanswered: number;
  ratings: number;
  ratingSum: number;
  helpfulUp: number;
  helpfulDown: number;
  replyMs: number;
  replyBuckets: number[];
  spendMicros: number;
}
export async function listDays(tx: Tx, range: Range): Promise<Day[]> {
  const { rows } = await sql<Omit<Day, 'replyMs' | 'spendMicros'> & { replyMs: string; spendMicros: string }>`
    select to_char(day, 'YYYY-MM-DD') as day, bot_id, messages, conversations, handoffs, closed, answered,
      unanswered, ratings, rating_sum, helpful_up, helpful_down, reply_ms, reply_buckets, spend_micros
    from usage_days where ${within(range)} order by usage_days.day, bot_id`.execute(tx);
  return rows.map((row) => ({ ...row, replyMs: Number(row.replyMs), spendMicros: Number(row.spendMicros) }));
}

interface Source {
  sourceId: Id<'knowledgeSource'>;
  name: string;
  citations: number;
}
export async function topSources(tx: Tx, range: Range, max: number): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select source_id, name, citations::int from (
      select source_id, sum(citations) as citations from source_days where ${within(range)} group by source_id) as cited
    join knowledge_sources on knowledge_sources.id = source_id
    order by citations desc, source_id limit ${max}`.execute(tx);
  return rows;
}

export interface UnansweredCursor {
  times: number;
  lastAskedAt: Date;
  botId: string;
  key: string;
}
export interface Question extends UnansweredCursor {
  botId: Id<'bot'>;
  question: string;
  conversationId: Id<'conversation'>;
}
export async function listUnanswered(tx: Tx, range: Range, after: UnansweredCursor | undefined, max: number) {
  const rest = after
    ? sql`having (sum(times), max(asked_at), bot_id, question_key)
        < (${after.times}, ${after.lastAskedAt}, ${after.botId}, ${after.key})`
    : sql``;
  // The wording is read for this page only, from the day the question was last asked.
  const { rows } = await sql<Question>`
    with grouped as (
      select bot_id, question_key, sum(times)::int as times, max(asked_at) as last_asked_at
      from unanswered_questions where ${within(range)} group by bot_id, question_key ${rest}
      order by sum(times) desc, max(asked_at) desc, bot_id desc, question_key desc limit ${max})
    select bot_id, question_key as key, grouped.times, last_asked_at, example as question, conversation_id
    from grouped join unanswered_questions as last using (bot_id, question_key)
    where last.day = (last_asked_at at time zone 'UTC')::date
    order by grouped.times desc, last_asked_at desc, bot_id desc, question_key desc`.execute(tx);
  return rows;
}

const isOldQuestion = sql`day < (now() at time zone 'UTC')::date - 90`;
export const oldQuestions = sql`select tenant_id from unanswered_questions where ${isOldQuestion} order by day`;
export const deleteOldQuestions = (tx: Tx) => sql`delete from unanswered_questions where ${isOldQuestion}`.execute(tx);

export const deleteQuestionsOf = (tx: Tx, conversationId: string) =>
  tx.deleteFrom('unansweredQuestions').where('conversationId', '=', conversationId).execute();
