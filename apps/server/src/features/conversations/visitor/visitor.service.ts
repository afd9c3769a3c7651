import {
  inTenant,
  type Context,
  type RequestInfo,
  type Services,
  type VisitorSession,
} from '../../../platform/context.ts';
import type { Tx } from '../../../platform/db.ts';
import { AppError, conflict, forbidden, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { CachedTenant } from '../../tenants/index.ts';
import { countHandoff, countHelpful, countRating } from '../../usage/index.ts';
import { about, asVisitor, ownerOf } from './accept.ts';
import type { Message, Rate } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { askToStop } from '../log/live.ts';
import { append, findEntry, findMessage, messagesBefore } from '../log/log.store.ts';

export interface VisitorParts {
  services: Services;
  signals: Signals;
  tenantState: (tenantId: Id<'tenant'>) => CachedTenant | Promise<CachedTenant>;
}

/** A visitor's own conversation, or 404: whose it is stands in the session, not in the address. */
export const own = async ({ tx }: Context, session: VisitorSession, id: string) =>
  orNotFound('conversation', await store.findOwned(tx, ownerOf(session), id));

export const asOwner = <T>(
  { services }: Pick<VisitorParts, 'services'>,
  session: VisitorSession,
  requestInfo: RequestInfo,
  work: (ctx: Context) => Promise<T>,
  readOnly = false,
) => inTenant(services, asVisitor(session, requestInfo.requestId), work, { readOnly });

export const listMessages = (
  parts: VisitorParts,
  session: VisitorSession,
  id: string,
  { before, limit }: { before?: number | undefined; limit: number },
  requestInfo: RequestInfo,
) =>
  asOwner(
    parts,
    session,
    requestInfo,
    async (ctx) => {
      await own(ctx, session, id);
      return messagePage(await messagesBefore(ctx.tx, id, { before, max: limit + 1 }), limit);
    },
    true,
  );

/** Give it one more than the limit: that one says whether there are older ones. */
export function messagePage<M extends Message>(messages: M[], limit: number) {
  const data = messages.slice(0, limit);
  return { data, before: messages.length > limit ? (data.at(-1)?.seq ?? null) : null };
}

const saidHelpful = (payload: unknown) => (payload as { isHelpful: boolean }).isHelpful;

export const rate = (parts: VisitorParts, session: VisitorSession, id: string, input: Rate, requestInfo: RequestInfo) =>
  asOwner(parts, session, requestInfo, async (ctx) => {
    await own(ctx, session, id);
    const conversation = orNotFound('conversation', await store.lock(ctx.tx, id)); // counted once, however many rate at once
    const { rating, comment = '', messageId, isHelpful } = input;
    if (messageId !== undefined && isHelpful !== undefined) {
      const message = await findMessage(ctx.tx, id, { messageId });
      if (!message || message.role === 'visitor') throw notFound('message');
      const earlier = await findEntry(ctx.tx, id, 'message.feedback', { messageId });
      const [seq = 0] = await append(ctx, id, [
        { type: 'message.feedback', payload: { messageId, isHelpful, comment } },
      ]);
      await countHelpful(
        ctx,
        conversation,
        isHelpful,
        earlier && { isHelpful: saidHelpful(earlier.payload), at: earlier.createdAt },
      );
      await emit(
        ctx,
        events.messageFeedback,
        messageId,
        { object: { id: messageId }, isHelpful, comment },
        about(conversation, seq),
      );
    } else if (rating !== undefined) {
      const ratedOn = await countRating(ctx, conversation, rating);
      const entry = { type: 'conversation.rated', payload: { rating, comment } };
      const [seq = 0] = await append(ctx, id, [entry], { rating, ratedOn });
      const object = { ...conversation, rating, lastSeq: seq };
      await emit(ctx, events.conversationRated, id, { object, rating, comment }, about(conversation, seq));
    } else {
      throw new AppError('VALIDATION_ERROR', 'rating_missing', 'Send `rating`, or `messageId` with `isHelpful`.');
    }
    return { conversation: await own(ctx, session, id) };
  });

/** Asks for a person. Asking again changes nothing. */
export async function askForPerson(
  parts: VisitorParts,
  session: VisitorSession,
  id: string,
  reason: string,
  requestInfo: RequestInfo,
) {
  const { features } = await parts.tenantState(session.tenantId);
  if (!features.has('human_handoff'))
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', 'Handoff to an agent is not available here.');
  return asOwner(parts, session, requestInfo, async (ctx) => {
    await own(ctx, session, id);
    const conversation = orNotFound('conversation', await store.lock(ctx.tx, id));
    if (conversation.state === 'closed')
      throw conflict('conversation_closed', 'This conversation is closed. Send a message to start a new one.');
    if (conversation.state === 'bot') {
      const [seq = 0] = await append(
        ctx,
        id,
        [{ type: 'conversation.updated', payload: { state: 'waiting_human', reason } }],
        { state: 'waiting_human', waitingSince: ctx.now, isHandedOff: true, isUnresolved: true },
      );
      await countHandoff(ctx, conversation);
      const object = { ...conversation, state: 'waiting_human' as const, lastSeq: seq };
      await emit(ctx, events.handoffRequested, id, { object }, about(conversation, seq));
    }
    return { conversation: await own(ctx, session, id) };
  });
}

/** Stops the answer under way: what was said so far stays. */
export async function stopTurn(parts: VisitorParts, session: VisitorSession, id: string, requestInfo: RequestInfo) {
  const { conversation, turn } = await asOwner(parts, session, requestInfo, async (ctx) => {
    const found = await own(ctx, session, id);
    const open = await store.nextOpenTurn(ctx.tx, id);
    if (open) await store.updateTurn(ctx.tx, id, open.id, { stopRequested: true });
    return { conversation: found, turn: open };
  });
  if (turn) askToStop(parts.signals, turn.id);
  return { conversation };
}

/** The one to go on with: the newest, unless it is over. */
async function openOne(tx: Tx, owner: store.Owner) {
  const [newest] = await store.newestOwned(tx, owner, 1);
  return newest && newest.state !== 'closed' ? newest : null;
}

/** For whoever comes with a session that a backend opened, which tells of no conversation. */
export const findConversation = (parts: VisitorParts, session: VisitorSession, requestInfo: RequestInfo) =>
  asOwner(parts, session, requestInfo, async ({ tx }) => ({ conversation: await openOne(tx, ownerOf(session)) }), true);

/** Whether they are still known, and what they can go on with. For whoever opens sessions. */
export const recallVisitor =
  (services: Services) =>
  async ({ tenantId, visitorId, givenAt }: { tenantId: Id<'tenant'>; visitorId: Id<'visitor'>; givenAt: Date }) => {
    const caller = { tenantId, actor: { type: 'visitor' as const, id: visitorId }, permissions: new Set<never>() };
    return inTenant(
      services,
      caller,
      async ({ tx }) => {
        const visitor = await store.findVisitor(tx, visitorId);
        if (!visitor) return { conversation: null }; // has said nothing yet: there is nothing to keep from them
        if (visitor.tokensAfter > givenAt) return undefined;
        const { botId, environmentId } = visitor;
        return { conversation: await openOne(tx, { botId, environmentId, visitorId, contactId: undefined }) };
      },
      { readOnly: true },
    );
  };

export const assertSameBot = (session: VisitorSession, botId: string) => {
  if (session.botId !== botId) throw forbidden('bot_mismatch', 'This session belongs to another bot.');
};
