import {
  inTenant,
  type Context,
  type RequestInfo,
  type Services,
  type VisitorSession,
} from '../../../platform/context.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import type { Signals } from '../../../platform/valkey.ts';
import { runsOfConversation } from '../../actions/index.ts';
import { deleteContact, findContact, lockContact, visitorIdOf } from '../../contacts/index.ts';
import { deleteQuestionsOf } from '../../usage/index.ts';
import { asVisitor } from './accept.ts';
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

/** A visitor, or a contact on all devices. */
interface DataSubject {
  visitorId: Id<'visitor'>;
  contactId: Id<'contact'> | undefined;
}
const subjectOf = ({ visitorId, contact }: VisitorSession): DataSubject => ({ visitorId, contactId: contact?.id });

export const exportVisitor = (services: Services, session: VisitorSession, requestInfo: RequestInfo) =>
  inTenant(services, asVisitor(session, requestInfo), (ctx) => exportData(ctx, subjectOf(session)), {
    readOnly: true,
  });

export async function exportContact(ctx: Context, contactId: Id<'contact'>) {
  orNotFound('contact', await findContact(ctx.tx, contactId));
  return exportData(ctx, { visitorId: visitorIdOf(contactId), contactId });
}

/** Everything that is stored about them. */
async function exportData({ tx, now }: Context, subject: DataSubject) {
  const conversations = await store.listOwned(tx, subject, max);
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
  const { visitorId, contactId } = subject;
  return {
    exportedAt: now,
    visitor: (await store.findVisitor(tx, visitorId)) ?? null,
    contact: contactId === undefined ? null : ((await findContact(tx, contactId)) ?? null),
    mergedVisitors: contactId === undefined ? [] : await privacy.mergedVisitors(tx, contactId),
    conversations: withMessages,
  };
}

export const eraseVisitor = (
  { services, signals }: { services: Services; signals: Signals },
  session: VisitorSession,
  requestInfo: RequestInfo,
) => inTenant(services, asVisitor(session, requestInfo), (ctx) => eraseData(ctx, signals, subjectOf(session)));

export async function eraseContact(ctx: Context, signals: Signals, contactId: Id<'contact'>) {
  orNotFound('contact', await findContact(ctx.tx, contactId));
  return eraseData(ctx, signals, { visitorId: visitorIdOf(contactId), contactId });
}

/** Erases everything they wrote: from the log, the turn steps and the events. */
async function eraseData(ctx: Context, signals: Signals, subject: DataSubject) {
  const { tx } = ctx;
  const { visitorId, contactId } = subject;
  const receiptId = newId('event');
  // Locked in the order of a message and of a merge: neither adds a conversation that this would miss.
  const visitors = await privacy.lockVisitors(tx, visitorId, contactId);
  if (contactId !== undefined) await lockContact(tx, contactId);
  let [conversations, messages] = [0, 0];
  for (;;) {
    const found = await store.listOwned(tx, subject, 100); // erased ones no longer have an owner, so this returns the next batch
    if (found.length === 0) break;
    for (const conversation of found) {
      conversations++;
      messages += conversation.messageCount;
      await eraseConversation(ctx, conversation);
      ctx.afterCommit(() => dropDelta(signals, conversation.id));
    }
  }
  await privacy.deleteVisitors(tx, visitors, contactId);
  if (contactId !== undefined) {
    await deleteContact(ctx, contactId);
    await privacy.blankContactEvents(tx, contactId);
  }
  const receipt = { receiptId, conversations, messages };
  await emit(ctx, events.dataErased, receiptId, { object: receipt }, { id: receiptId });
  return receipt;
}

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
