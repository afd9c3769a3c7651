import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import type { SearchQuery } from './tokens.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Contact details that conversations can be found by, besides their messages. Erased conversations are left out. */
export async function lockIndexable(tx: Tx, ids: readonly string[]) {
  // `for key share` conflicts only with the `for update` of erasure; the chat is not blocked.
  const { rows } = await sql<{ id: string; email: string | null; externalUserId: string | null }>`
    with indexable as (
      select id, contact_id from conversations where id = any (${ids}::text[]) and visitor_id is not null
      order by id for key share)
    select indexable.id, email, external_user_id from indexable
      left join contacts on contacts.id = indexable.contact_id`.execute(prepared(tx));
  return rows;
}

/** Idempotent. */
export const insertTokens = (tx: Tx, rows: readonly { token: string; conversationId: string }[]) =>
  sql`insert into conversation_tokens (token, conversation_id)
    select * from unnest(${rows.map(({ token }) => token)}::text[], ${rows.map(({ conversationId }) => conversationId)}::text[])
      as new_token (token, conversation_id)
    order by token, conversation_id on conflict do nothing`.execute(prepared(tx));

export const deleteTokens = (tx: Tx, conversationId: string) =>
  tx.deleteFrom('conversationTokens').where('conversationId', '=', conversationId).execute();

/** Sorts after every letter and digit in byte order. */
const highest = '\u{10FFFF}';

const equals = (token: string) => sql<boolean>`token = ${token}`;
const startsWith = (prefix: string) => sql<boolean>`token >= ${prefix} and token < ${prefix + highest}`;

/** One condition per token of a query. */
export const conditionsOf = ({ tokens, prefix }: SearchQuery): RawBuilder<boolean>[] => [
  ...tokens.map(equals),
  startsWith(prefix),
];

/** Rows per condition, counted up to `max`, rarest first. */
export async function countRows(tx: Tx, conditions: readonly RawBuilder<boolean>[], max: number) {
  const counts = conditions.map(
    (condition, ordinal) =>
      sql`select ${ordinal}::int as ordinal, count(*)::int as total from (select from conversation_tokens where ${condition} limit ${max + 1}) as found`,
  );
  const { rows } = await sql<{ ordinal: number; total: number }>`
    ${sql.join(counts, sql` union all `)} order by total, ordinal`.execute(tx);
  return rows;
}
