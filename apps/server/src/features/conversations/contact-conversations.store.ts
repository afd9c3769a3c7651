import { sql } from 'kysely';
import type { ContactConversations } from '../contacts/index.ts';
import type { Conversation } from './conversations.contract.ts';
import { conversationColumns } from './conversations.store.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export const contactConversations: ContactConversations = {
  newest: (tx, contactId, max) =>
    tx
      .selectFrom('conversations')
      .select(conversationColumns)
      .where('contactId', '=', contactId)
      .orderBy('id', 'desc')
      .limit(max)
      .$narrowType<Conversation>()
      .execute(),

  async count(tx, contactIds, max) {
    const { rows } = await sql<{ id: string; total: number }>`
      select contact.id, found.total from unnest(${contactIds}::text[]) as contact (id), lateral (
        select count(*)::int as total from (
          select from conversations where contact_id = contact.id limit ${max}) as counted) as found`.execute(tx);
    return new Map(rows.map(({ id, total }) => [id, total]));
  },
};
