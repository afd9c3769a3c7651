import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Wanted } from './tokens.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** What conversations are found by besides what was said in them: whose they are. Those that were erased are left out. */
export async function lockLiving(tx: Tx, ids: readonly string[]) {
  // Locked against erasure, which takes the whole row, and against nothing else: the chat goes on meanwhile.
  const { rows } = await sql<{ id: string; email: string | null; externalUserId: string | null }>`
    with living as (
      select id, contact_id from conversations where id = any (${ids}::text[]) and visitor_id is not null
      order by id for key share)
    select living.id, email, external_user_id from living left join contacts on contacts.id = living.contact_id`.execute(
    tx,
  );
  return rows;
}

/** Those that are there already stay: the same again changes nothing. */
export const insertTokens = (tx: Tx, rows: readonly { token: string; conversationId: string }[]) =>
  sql`insert into conversation_tokens (token, conversation_id)
    select * from unnest(${rows.map(({ token }) => token)}::text[], ${rows.map(({ conversationId }) => conversationId)}::text[])
      as said (token, conversation_id)
    order by token, conversation_id on conflict do nothing`.execute(tx);

export const deleteTokens = (tx: Tx, conversationId: string) =>
  tx.deleteFrom('conversationTokens').where('conversationId', '=', conversationId).execute();

/** Above every letter and digit, in the order of bytes. */
const last = '\u{10FFFF}';

const isWord = (token: string) => sql<boolean>`token = ${token}`;
const begins = (beginning: string) => sql<boolean>`token >= ${beginning} and token < ${beginning + last}`;

/** What each token of a query asks of the list of tokens. */
export const conditionsOf = ({ tokens, beginning }: Wanted): RawBuilder<boolean>[] => [
  ...tokens.map(isWord),
  begins(beginning),
];

/** How many rows each has, as far as they are counted, the rarest first. */
export async function countRows(tx: Tx, conditions: readonly RawBuilder<boolean>[], max: number) {
  const counts = conditions.map(
    (condition, place) =>
      sql`select ${place}::int as place, count(*)::int as times from (select from conversation_tokens where ${condition} limit ${max + 1}) as found`,
  );
  const { rows } = await sql<{ place: number; times: number }>`
    ${sql.join(counts, sql` union all `)} order by times, place`.execute(tx);
  return rows;
}
