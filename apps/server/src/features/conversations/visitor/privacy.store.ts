import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** The visitor, and those merged into the contact. Locked until the transaction ends. */
export async function lockVisitors(tx: Tx, id: string, contactId: string | undefined): Promise<string[]> {
  const merged = sql`select id from visitors where contact_id = ${contactId ?? null}`;
  const { rows } = await sql<{ id: string }>`
    select id from visitors where id = any (array(select ${id} union all ${merged})) order by id for update`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}
/** Also those merged into the contact since the visitors were locked. The caller has locked the contact. */
export const deleteVisitors = (tx: Tx, ids: readonly string[], contactId: string | undefined) =>
  tx
    .deleteFrom('visitors')
    .where((eb) => eb.or([eb('id', 'in', [...ids, '']), eb('contactId', '=', contactId ?? null)]))
    .execute();

export const mergedVisitors = (tx: Tx, contactId: string) =>
  tx
    .selectFrom('visitors')
    .select(['id', 'label', 'name', 'email', 'createdAt'])
    .where('contactId', '=', contactId)
    .orderBy('createdAt')
    .execute();

/** The log keeps its sequence numbers and types, so that counts and streams stay correct; payloads are erased. */
export async function eraseMessages(tx: Tx, conversationId: string): Promise<void> {
  const payload = JSON.stringify({ isErased: true });
  await tx.updateTable('conversationEvents').set({ payload }).where('conversationId', '=', conversationId).execute();
  await tx.deleteFrom('turnSteps').where('conversationId', '=', conversationId).execute();
}

export const anonymizeConversation = (tx: Tx, id: string, closedAt: Date) =>
  tx
    .updateTable('conversations')
    .set({
      visitorId: null,
      contactId: null,
      pageUrl: null,
      preview: '',
      ratingComment: null,
      visitorPreview: '',
      tags: [],
      waitingSince: null,
      snoozedUntil: null,
      state: 'closed',
      closedAt,
    })
    .where('id', '=', id)
    .execute();

const blankBody = sql<string>`
  (jsonb_set(body::jsonb, '{data}', jsonb_build_object('object', jsonb_build_object('id', subject_id, 'isErased', true))))::text`;

/** Events keep their id and type; their data is erased. Not those of this transaction, which are written at its end. */
export const blankConversationEvents = (tx: Tx, conversationId: string) =>
  tx.updateTable('events').set({ body: blankBody }).where('conversationId', '=', conversationId).execute();
/** The condition on the conversation is the one of the index. A contact's own events have none. */
export const blankContactEvents = (tx: Tx, contactId: string) =>
  tx
    .updateTable('events')
    .set({ body: blankBody })
    .where('subjectId', '=', contactId)
    .where('conversationId', 'is', null)
    .execute();

/** Responses stored for idempotency keys quote the conversation or its messages. As arrays, both are index lookups. */
export const deleteStoredResponses = (tx: Tx, conversationId: string) =>
  sql`delete from idempotency_keys where key = any (array(
      select key from idempotency_references where subject_id = any (array(
        select message_id from conversation_events where conversation_id = ${conversationId} and message_id is not null
        union all select ${conversationId}))))`.execute(tx);

const isExpired = sql`expires_at < now()`;
export const expiredConversations = sql`select tenant_id from conversations where ${isExpired} order by expires_at`;

/**
 * Conversations past their retention period, locked; those that another process has locked are skipped. Busy ones have
 * unfinished turns or runs of actions.
 */
export async function lockExpired(tx: Tx, max: number) {
  const { rows } = await sql<{ id: string; isBusy: boolean }>`
    select c.id, exists (select from turns t where t.conversation_id = c.id and t.status in ('queued', 'running'))
      or exists (select from action_runs r where r.conversation_id = c.id) as is_busy
    from conversations c where ${isExpired} order by expires_at limit ${max} for update of c skip locked`.execute(tx);
  return rows;
}

/** With the data of their events, and visitors of whom no conversation is left. */
export async function deleteConversations(tx: Tx, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ visitorId: string | null }>`
    with gone as (select unnest(${ids}::text[]) as id),
      entries as (delete from conversation_events where conversation_id in (select id from gone)),
      steps as (delete from turn_steps where conversation_id in (select id from gone)),
      ended as (delete from turns where conversation_id in (select id from gone)),
      blanked as (update events set body = ${blankBody} where conversation_id in (select id from gone))
    delete from conversations where id in (select id from gone) returning visitor_id`.execute(tx);
  await deleteUnusedVisitors(tx, [...new Set(rows.flatMap(({ visitorId }) => visitorId ?? []))]);
}

/**
 * Skips those that are locked, because they are writing, being merged or being erased; the conversations are locked first
 * here and last there. Looks for conversations only after locking, so that it sees those committed until then.
 */
async function deleteUnusedVisitors(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const locked = await sql<{ id: string }>`
    select id from visitors where id = any (${ids}::text[]) for update skip locked`.execute(tx);
  await sql`
    delete from visitors where id = any (${locked.rows.map(({ id }) => id)}::text[])
      and not exists (select from conversations where visitor_id = visitors.id)`.execute(tx);
}
