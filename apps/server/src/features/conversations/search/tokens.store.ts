import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { afterTags, tagMark } from '../../../platform/search-tokens.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

interface IndexableConversation {
  id: string;
  name: string | null;
  email: string | null;
  externalUserId: string | null;
}

/** The newest conversations of a contact. */
export async function newestOf(tx: Tx, contactId: string, max: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('conversations')
    .select('id')
    .where('contactId', '=', contactId)
    .orderBy('id', 'desc')
    .limit(max)
    .execute();
  return rows.map(({ id }) => id);
}

/** Contact details that conversations can be found by, besides their messages. Erased conversations are left out. */
export async function lockIndexable(tx: Tx, ids: readonly string[]) {
  // `for key share` conflicts only with the `for update` of erasure; the chat is not blocked.
  const { rows } = await sql<IndexableConversation>`
    with indexable as (
      select id, contact_id from conversations where id = any (${ids}::text[]) and visitor_id is not null
      order by id for key share)
    select indexable.id, name, email, external_user_id from indexable
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

/** Replaces the tokens of tags. Those of messages stay. */
export async function setTagTokens(tx: Tx, conversationId: string, tokens: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('conversationTokens')
    .where('conversationId', '=', conversationId)
    .where('token', '>=', tagMark)
    .where('token', '<', afterTags)
    .execute();
  const rows = tokens.map((token) => ({ token, conversationId }));
  if (rows.length > 0) await insertTokens(tx, rows);
}
