import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { afterTags, tagMark } from '../../../platform/search-tokens.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Moves a position forward, never back and never past the end. undefined: nothing changed. */
export async function markRead(tx: Tx, id: string, column: 'agentReadSeq' | 'visitorReadSeq', seq: number) {
  const row = await tx
    .updateTable('conversations')
    .set((eb) => ({ [column]: eb.fn('least', [eb.val(seq), 'lastSeq']) }))
    .where('id', '=', id)
    .where(column, '<', seq)
    .where(column, '<', sql<number>`last_seq`)
    .returning('id')
    .executeTakeFirst();
  return row && true;
}

/** How many of them exist and are visible to the caller. */
export const countExisting = async (tx: Tx, ids: readonly string[]): Promise<number> =>
  (await tx.selectFrom('conversations').select('id').where('id', 'in', ids).execute()).length;

const maxCount = 1_000;
const isWaiting = sql`waiting_since is not null and waiting_since <= now() and not is_test`;
const isOpen = sql`state in ('waiting_human', 'human')`;
const countOf = (condition: ReturnType<typeof sql>) =>
  sql`(select count(*)::int from (select from conversations where ${condition} limit ${maxCount}) as found)`;

interface CountRow {
  waiting: number;
  unassigned: number;
  mine: number;
  mineWaiting: number;
}

/** Each is an index scan that stops at the maximum. */
export async function countInbox(tx: Tx, userId: string): Promise<CountRow> {
  const isMine = sql`assignee_id = ${userId} and ${isOpen} and not is_test`;
  const { rows } = await sql<CountRow>`select
    ${countOf(isWaiting)} as waiting,
    ${countOf(sql`${isWaiting} and assignee_id is null`)} as unassigned,
    ${countOf(isMine)} as mine,
    ${countOf(sql`${isWaiting} and assignee_id = ${userId}`)} as mine_waiting`.execute(tx);
  return rows[0]!;
}

/** The one that started to wait last and that this member would answer. */
export const findNewestWaiting = (tx: Tx, userId: string) =>
  tx
    .selectFrom('conversations')
    .select('id')
    .where(sql<boolean>`${isWaiting}`)
    .where(({ eb, or }) => or([eb('assigneeId', 'is', null), eb('assigneeId', '=', userId)]))
    .orderBy('waitingSince', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .$narrowType<{ id: Id<'conversation'> }>()
    .executeTakeFirst();

/** Jumps from tag to tag in the index, so the cost grows with the number of tags only. */
export async function listTags(tx: Tx, max: number) {
  const next = (after: ReturnType<typeof sql>) =>
    sql`(select token from conversation_tokens where token > ${after} and token < ${afterTags} order by token limit 1)`;
  const { rows } = await sql<{ tag: string; conversations: number }>`
    with recursive tags (token) as (
      select ${next(sql`${tagMark}`)}
      union all
      select ${next(sql`tags.token`)} from tags where tags.token is not null)
    select substr(token, 2) as tag, (select count(*)::int from
      (select from conversation_tokens t where t.token = tags.token limit ${maxCount}) as found) as conversations
    from tags where token is not null limit ${max}`.execute(tx);
  return rows;
}
