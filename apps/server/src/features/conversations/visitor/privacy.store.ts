import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const deleteVisitor = (tx: Tx, id: string) => tx.deleteFrom('visitors').where('id', '=', id).execute();

/** The log keeps its sequence numbers and types, so that counts and streams stay correct; payloads are erased. */
export async function eraseMessages(tx: Tx, conversationId: string): Promise<void> {
  const payload = JSON.stringify({ isErased: true });
  await tx.updateTable('conversationEvents').set({ payload }).where('conversationId', '=', conversationId).execute();
  await tx.deleteFrom('turnSteps').where('conversationId', '=', conversationId).execute();
}

export const anonymizeConversation = (tx: Tx, id: string, closedAt: Date) =>
  tx
    .updateTable('conversations')
    .set({ visitorId: null, contactId: null, pageUrl: null, preview: '', state: 'closed', closedAt })
    .where('id', '=', id)
    .execute();

/** Events keep their id and type; their data is erased. Not those of this transaction, which are written at its end. */
export const blankEvents = (tx: Tx, column: 'conversationId' | 'subjectId', value: string) =>
  tx
    .updateTable('events')
    .set({
      body: sql<string>`(jsonb_set(body::jsonb, '{data}', jsonb_build_object('object', jsonb_build_object('id', subject_id, 'isErased', true))))::text`,
    })
    .where(column, '=', value)
    .execute();

/** Responses stored for idempotency keys quote the conversation. */
export const deleteStoredResponses = (tx: Tx, conversationId: string) =>
  sql`delete from idempotency_keys as stored where position(${conversationId} in stored.body) > 0 or exists (
      select from conversation_events as event where event.conversation_id = ${conversationId}
        and event.message_id is not null and position(event.message_id in stored.body) > 0)`.execute(tx);

/** Conversations past their retention period, locked; those that another process has locked are skipped. */
export const lockExpired = async (tx: Tx, now: Date, max: number) =>
  (
    await tx
      .selectFrom('conversations')
      .select('id')
      .where('expiresAt', '<', now)
      .orderBy('expiresAt')
      .limit(max)
      .forUpdate()
      .skipLocked()
      .execute()
  ).map(({ id }) => id);

export async function deleteConversations(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const table of ['conversationEvents', 'turns', 'turnSteps'] as const)
    await tx.deleteFrom(table).where('conversationId', 'in', ids).execute();
  await tx.deleteFrom('conversations').where('id', 'in', ids).execute();
}

/** Visitors and contacts without conversations, after 30 days. */
export async function deleteUnusedVisitors(tx: Tx): Promise<void> {
  await sql`delete from visitors where last_seen_at < now() - interval '30 days'
    and not exists (select from conversations where visitor_id = visitors.id)`.execute(tx);
  await sql`delete from contacts where updated_at < now() - interval '30 days'
    and not exists (select from conversations where contact_id = contacts.id)`.execute(tx);
}
