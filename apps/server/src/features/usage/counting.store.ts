import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/prepared.ts';
import { replyTimes } from './durations.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export type Counts = Partial<
  Record<'conversations' | 'handoffs' | 'closed' | 'ratings' | 'ratingSum' | 'helpfulUp' | 'helpfulDown', number>
>;

/** Never below zero: a retracted value may predate the counting. */
const sum = (column: string, amount: number) =>
  amount < 0 && column !== 'ratingSum'
    ? sql<number>`greatest(0, usage_days.${sql.ref(column)} + ${amount})`
    : sql<number>`usage_days.${sql.ref(column)} + ${amount}`;

export const addCounts = (tx: Tx, day: string, botId: string, counts: Counts) =>
  tx
    .insertInto('usageDays')
    .values({
      day,
      botId,
      ...Object.fromEntries(Object.entries(counts).map(([name, amount]) => [name, Math.max(0, amount)])),
    })
    .onConflict((same) =>
      same
        .columns(['tenantId', 'day', 'botId'])
        .doUpdateSet(Object.fromEntries(Object.entries(counts).map(([name, amount]) => [name, sum(name, amount)]))),
    )
    .execute();

interface TurnCounts {
  day: string;
  botId: string;
  modelTurns: number;
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
  answered: number;
  unanswered: number;
  reply: { ms: number; bucket: number } | undefined;
  documentIds: readonly string[];
  question: { key: string; example: string; conversationId: string; askedAt: Date } | undefined;
}

/** One statement for all counts of a turn, because every reply waits for it. */
export const addTurn = (tx: Tx, { day, botId, reply, documentIds, question, ...counts }: TurnCounts) => {
  const { modelTurns, tokensIn, tokensOut, spendMicros, answered, unanswered } = counts;
  const buckets = replyTimes.empty();
  if (reply) buckets[reply.bucket - 1] = 1;
  // Updates only this array element; the others need not be read.
  const bucketIndex = sql.raw(String(reply?.bucket ?? 1));
  const bucket = reply ? sql`, reply_buckets[${bucketIndex}] = usage_days.reply_buckets[${bucketIndex}] + 1` : sql``;
  const cited =
    documentIds.length === 0
      ? sql``
      : sql`, cited as (
      insert into source_days (day, bot_id, source_id, citations)
      select distinct ${day}::date, ${botId}, source_id, 1 from knowledge_documents where id = any (${documentIds}::text[])
      order by source_id
      on conflict (tenant_id, day, bot_id, source_id) do update set citations = source_days.citations + 1)`;
  const asked =
    question === undefined
      ? sql``
      : sql`, asked as (
      insert into unanswered_questions (day, bot_id, question_key, example, conversation_id, asked_at)
      values (${day}, ${botId}, ${question.key}, ${question.example}, ${question.conversationId}, ${question.askedAt})
      on conflict (tenant_id, day, bot_id, question_key) do update set times = unanswered_questions.times + 1,
        example = excluded.example, conversation_id = excluded.conversation_id, asked_at = excluded.asked_at)`;
  return sql`with day as (
      insert into usage_days (day, bot_id, turns, model_turns, tokens_in, tokens_out, spend_micros, answered, unanswered,
        reply_ms, reply_buckets)
      values (${day}, ${botId}, 1, ${modelTurns}, ${tokensIn}, ${tokensOut}, ${spendMicros}, ${answered}, ${unanswered},
        ${reply?.ms ?? 0}, ${buckets})
      on conflict (tenant_id, day, bot_id) do update set turns = usage_days.turns + 1,
        model_turns = usage_days.model_turns + excluded.model_turns, tokens_in = usage_days.tokens_in + excluded.tokens_in,
        tokens_out = usage_days.tokens_out + excluded.tokens_out,
        spend_micros = usage_days.spend_micros + excluded.spend_micros,
        answered = usage_days.answered + excluded.answered, unanswered = usage_days.unanswered + excluded.unanswered,
        reply_ms = usage_days.reply_ms + excluded.reply_ms
        ${bucket})${cited}${asked}
    select 1`.execute(prepared(tx));
};
