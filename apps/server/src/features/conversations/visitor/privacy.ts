import { sql } from 'kysely';
import {
  inTenant,
  type Context,
  type RequestInfo,
  type Services,
  type VisitorSession,
} from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import type { Signals } from '../../../platform/valkey.ts';
import { runsOfConversation } from '../../actions/index.ts';
import { deleteQuestionsOf } from '../../usage/index.ts';
import { asVisitor, ownerOf } from './accept.ts';
import { deleteContact, findContact } from './contacts.store.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { dropDelta } from '../log/live.ts';
import { messagesBefore } from '../log/log.store.ts';
import { eraseRuns } from '../turn/action-runs.ts';
import { endOpenTurns } from '../turn/turn-ends.ts';
import { deleteTokens } from '../search/tokens.store.ts';

const max = 1_000;

/** Everything stored about the visitor. */
export const exportVisitor = (services: Services, session: VisitorSession, requestInfo: RequestInfo) =>
  inTenant(
    services,
    asVisitor(session, requestInfo.requestId),
    async ({ tx, now }) => {
      const conversations = await store.listOwned(tx, ownerOf(session), max);
      const withMessages = [];
      for (const conversation of conversations)
        withMessages.push({
          ...conversation,
          messages: (await messagesBefore(tx, conversation.id, { max: 10_000 })).toReversed(),
          actions: (await runsOfConversation(tx, conversation.id)).map(({ spec, state, args, output, createdAt }) => ({
            title: spec.title,
            state,
            args,
            output,
            createdAt,
          })),
        });
      return {
        exportedAt: now,
        visitor: (await store.findVisitor(tx, session.visitorId)) ?? null,
        contact: session.contact ? ((await findContact(tx, session.contact.id)) ?? null) : null,
        conversations: withMessages,
      };
    },
    { readOnly: true },
  );

/** Erases everything the visitor wrote: from the log, the turn steps and the events. */
export const eraseVisitor = (
  { services, signals }: { services: Services; signals: Signals },
  session: VisitorSession,
  requestInfo: RequestInfo,
) =>
  inTenant(services, asVisitor(session, requestInfo.requestId), async (ctx) => {
    const { tx } = ctx;
    const receiptId = newId('event');
    let [conversations, messages] = [0, 0];
    for (;;) {
      const found = await store.listOwned(tx, ownerOf(session), 100); // erased ones no longer have an owner, so this returns the next batch
      if (found.length === 0) break;
      for (const conversation of found) {
        conversations++;
        messages += conversation.messageCount;
        await eraseConversation(ctx, conversation);
        ctx.afterCommit(() => dropDelta(signals, conversation.id));
      }
    }
    await tx.deleteFrom('visitors').where('id', '=', session.visitorId).execute();
    if (session.contact) {
      await deleteContact(tx, session.contact.id);
      await blankEvents(ctx, 'subjectId', session.contact.id);
      await emit(ctx, events.contactDeleted, session.contact.id, { object: { id: session.contact.id } });
    }
    const receipt = { receiptId, conversations, messages };
    await emit(ctx, events.dataErased, receiptId, { object: receipt }, { id: receiptId });
    return receipt;
  });

/** The log keeps its sequence numbers and types, so that counts and streams stay correct; payloads are erased. */
async function eraseConversation(ctx: Context, conversation: Conversation): Promise<void> {
  const { tx } = ctx;
  const { id } = conversation;
  await store.lockForErasure(tx, id);
  await eraseRuns(ctx, [id]); // first, or ending the turns would report their results
  await endOpenTurns(ctx, id, 'erased');
  await tx
    .updateTable('conversationEvents')
    .set({ payload: JSON.stringify({ isErased: true }) })
    .where('conversationId', '=', id)
    .execute();
  await tx.deleteFrom('turnSteps').where('conversationId', '=', id).execute();
  await deleteTokens(tx, id);
  await deleteQuestionsOf(ctx, id);
  await deleteStoredResponses(ctx, id);
  await tx
    .updateTable('conversations')
    .set({ visitorId: null, contactId: null, pageUrl: null, preview: '', state: 'closed', closedAt: ctx.now })
    .where('id', '=', id)
    .execute();
  await blankEvents(ctx, 'conversationId', id);
  await emit(
    ctx,
    events.conversationDeleted,
    id,
    { object: { id } },
    { botId: conversation.botId, environmentId: conversation.environmentId },
  );
}

/** Events keep their id and type; their data is erased. */
const blankEvents = ({ tx }: Context, column: 'conversationId' | 'subjectId', value: string) =>
  tx
    .updateTable('events')
    .set({
      body: sql<string>`(jsonb_set(body::jsonb, '{data}', jsonb_build_object('object', jsonb_build_object('id', subject_id, 'isErased', true))))::text`,
    })
    .where(column, '=', value)
    .execute();

/** Responses stored for idempotency keys quote the conversation. */
const deleteStoredResponses = ({ tx }: Context, conversationId: string) =>
  sql`delete from idempotency_keys as stored where position(${conversationId} in stored.body) > 0 or exists (
      select from conversation_events as event where event.conversation_id = ${conversationId}
        and event.message_id is not null and position(event.message_id in stored.body) > 0)`.execute(tx);

const batch = 500;

/** Deletes conversations past their retention period. Returns how many. */
export async function purgeExpired(ctx: Context): Promise<number> {
  const { tx } = ctx;
  const expired = await tx
    .selectFrom('conversations')
    .select('id')
    .where('expiresAt', '<', ctx.now)
    .orderBy('expiresAt')
    .limit(batch)
    .forUpdate()
    .skipLocked()
    .execute();
  const ids = expired.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await eraseRuns(ctx, ids);
  for (const id of ids) {
    await endOpenTurns(ctx, id, 'expired');
    await blankEvents(ctx, 'conversationId', id);
  }
  for (const table of ['conversationEvents', 'turns', 'turnSteps'] as const)
    await tx.deleteFrom(table).where('conversationId', 'in', ids).execute();
  await tx.deleteFrom('conversations').where('id', 'in', ids).execute();
  // Visitors and contacts without conversations are deleted too.
  await sql`delete from visitors where last_seen_at < now() - interval '30 days'
    and not exists (select from conversations where visitor_id = visitors.id)`.execute(tx);
  await sql`delete from contacts where updated_at < now() - interval '30 days'
    and not exists (select from conversations where contact_id = contacts.id)`.execute(tx);
  return ids.length;
}
