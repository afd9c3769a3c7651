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
import * as privacy from './privacy.store.ts';

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
    await privacy.deleteVisitor(tx, session.visitorId);
    if (session.contact) {
      await deleteContact(tx, session.contact.id);
      await privacy.blankContactEvents(tx, session.contact.id);
      await emit(ctx, events.contactDeleted, session.contact.id, { object: { id: session.contact.id } });
    }
    const receipt = { receiptId, conversations, messages };
    await emit(ctx, events.dataErased, receiptId, { object: receipt }, { id: receiptId });
    return receipt;
  });

async function eraseConversation(ctx: Context, conversation: Conversation): Promise<void> {
  const { tx } = ctx;
  const { id } = conversation;
  await store.lockForErasure(tx, id);
  await eraseRuns(ctx, [id]); // first, or ending the turns would report their results
  await endOpenTurns(ctx, id, 'erased');
  await privacy.eraseMessages(tx, id);
  await deleteTokens(tx, id);
  await deleteQuestionsOf(ctx, id);
  await privacy.deleteStoredResponses(tx, id);
  await privacy.anonymizeConversation(tx, id, ctx.now);
  await privacy.blankConversationEvents(tx, id);
  await emit(
    ctx,
    events.conversationDeleted,
    id,
    { object: { id } },
    { botId: conversation.botId, environmentId: conversation.environmentId },
  );
}

const batch = 500;

/** Deletes conversations of the tenant that are past their retention period. */
export async function purgeExpired(ctx: Context): Promise<{ count: number; isMore: boolean }> {
  const { tx } = ctx;
  const expired = await privacy.lockExpired(tx, batch);
  const busy = expired.filter(({ isBusy }) => isBusy).map(({ id }) => id);
  if (busy.length > 0) {
    await eraseRuns(ctx, busy);
    for (const id of busy) await endOpenTurns(ctx, id, 'expired');
  }
  const ids = expired.map(({ id }) => id);
  if (ids.length > 0) await privacy.deleteConversations(tx, ids);
  return { count: ids.length, isMore: ids.length === batch };
}
