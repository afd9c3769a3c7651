import {
  inTenant,
  type Context,
  type RequestInfo,
  type Services,
  type VisitorSession,
} from '../../../platform/context.ts';
import type { Config } from '../../../platform/config.ts';
import type { Tx } from '../../../platform/db.ts';
import { AppError, conflict, forbidden, notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { CachedTenant } from '../../tenants/index.ts';
import { changeOutcome, countHelpful, countOutcome, countRating } from '../../usage/index.ts';
import { eventContext, asVisitor, ownerOf } from './accept.ts';
import { confirmRequest, requestPerson } from './handoff.ts';
import { mergeVisitor, type VisitorProof } from './identify.ts';
import type { Message, Rate } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { publishStop } from '../log/live.ts';
import { append, findEntry, findMessage, messagesBefore } from '../log/log.store.ts';

export interface VisitorDeps {
  config: Pick<Config, 'SMTP_URL'>;
  services: Services;
  signals: Signals;
  tenantState: (tenantId: Id<'tenant'>) => CachedTenant | Promise<CachedTenant>;
}

/** A visitor's own conversation, or 404. The owner comes from the session, not from the URL. */
export const own = async ({ tx }: Context, session: VisitorSession, id: string) =>
  orNotFound('conversation', await store.findOwned(tx, ownerOf(session), id));

export const asOwner = <T>(
  { services }: Pick<VisitorDeps, 'services'>,
  session: VisitorSession,
  requestInfo: RequestInfo,
  work: (ctx: Context) => Promise<T>,
  readOnly = false,
) => inTenant(services, asVisitor(session, requestInfo), work, { readOnly });

export const listMessages = (
  deps: VisitorDeps,
  session: VisitorSession,
  id: string,
  { before, limit }: { before?: number | undefined; limit: number },
  requestInfo: RequestInfo,
) =>
  asOwner(
    deps,
    session,
    requestInfo,
    async (ctx) => {
      await own(ctx, session, id);
      return messagePage(await messagesBefore(ctx.tx, id, { before, max: limit + 1 }), limit);
    },
    true,
  );

/** Expects one message more than the limit, which shows whether there are older ones. */
export function messagePage<M extends Message>(messages: M[], limit: number) {
  const data = messages.slice(0, limit);
  return { data, before: messages.length > limit ? (data.at(-1)?.seq ?? null) : null };
}

const wasHelpful = (payload: unknown) => (payload as { isHelpful: boolean }).isHelpful;

export const rate = (deps: VisitorDeps, session: VisitorSession, id: string, input: Rate, requestInfo: RequestInfo) =>
  asOwner(deps, session, requestInfo, async (ctx) => {
    await own(ctx, session, id);
    const conversation = orNotFound('conversation', await store.lock(ctx.tx, id)); // locked, so that concurrent ratings are counted once
    const { rating, comment = '', messageId, isHelpful } = input;
    if (messageId !== undefined && isHelpful !== undefined) {
      const message = await findMessage(ctx.tx, id, { messageId });
      if (!message || message.role === 'visitor') throw notFound('message');
      const earlier = await findEntry(ctx.tx, id, 'message.feedback', { messageId });
      const outcome = changeOutcome(conversation, messageId === conversation.lastReplyId ? { isHelpful } : {});
      const entry = { type: 'message.feedback', payload: { messageId, isHelpful, comment } };
      const [seq = 0] = await append(ctx, id, [entry], outcome.columns);
      await countHelpful(
        ctx,
        conversation,
        isHelpful,
        earlier && { isHelpful: wasHelpful(earlier.payload), at: earlier.createdAt },
      );
      await countOutcome(ctx, conversation, outcome);
      await emit(
        ctx,
        events.messageFeedback,
        messageId,
        { object: { id: messageId }, isHelpful, comment },
        eventContext(conversation, seq),
      );
    } else if (rating !== undefined) {
      const ratedOn = await countRating(ctx, conversation, rating);
      const entry = { type: 'conversation.rated', payload: { rating, comment } };
      const outcome = changeOutcome(conversation, { rating });
      const comments = { ratedAt: ctx.now, ratingComment: comment || null };
      const [seq = 0] = await append(ctx, id, [entry], { ...outcome.columns, ratedOn, ...comments });
      await countOutcome(ctx, conversation, outcome);
      const object = { ...conversation, rating, lastSeq: seq };
      await emit(ctx, events.conversationRated, id, { object, rating, comment }, eventContext(conversation, seq));
    } else {
      throw new AppError('VALIDATION_ERROR', 'rating_missing', 'Send `rating`, or `messageId` with `isHelpful`.');
    }
    return { conversation: await own(ctx, session, id) };
  });

/** Requests a handoff. Idempotent. */
export async function askForPerson(
  deps: VisitorDeps,
  session: VisitorSession,
  id: string,
  reason: string,
  requestInfo: RequestInfo,
) {
  const { features } = await deps.tenantState(session.tenantId);
  if (!features.has('human_handoff'))
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', 'Handoff to an agent is not available here.');
  return asOwner(deps, session, requestInfo, async (ctx) => {
    await own(ctx, session, id);
    const conversation = orNotFound('conversation', await store.lock(ctx.tx, id));
    if (conversation.state === 'closed')
      throw conflict('conversation_closed', 'This conversation is closed. Send a message to start a new one.');
    if (conversation.state === 'bot') {
      await confirmRequest(ctx, conversation, { sendsEmail: deps.config.SMTP_URL !== undefined });
      await requestPerson(ctx, conversation, reason);
    }
    return { conversation: await own(ctx, session, id) };
  });
}

/** Stops the running reply; its text so far is kept. */
export async function stopTurn(deps: VisitorDeps, session: VisitorSession, id: string, requestInfo: RequestInfo) {
  const { conversation, turn } = await asOwner(deps, session, requestInfo, async (ctx) => {
    const found = await own(ctx, session, id);
    const open = await store.nextOpenTurn(ctx.tx, id);
    if (open) await store.updateTurn(ctx.tx, id, open.id, { stopRequested: true });
    return { conversation: found, turn: open };
  });
  if (turn) publishStop(deps.signals, turn.id);
  return { conversation };
}

/** The newest conversation, unless it is closed. */
async function findOpen(tx: Tx, owner: store.Owner) {
  const [newest] = await store.newestOwned(tx, owner, 1);
  return newest && newest.state !== 'closed' ? newest : null;
}

/** For sessions opened by a tenant's backend, whose response contains no conversation. */
export const findConversation = (deps: VisitorDeps, session: VisitorSession, requestInfo: RequestInfo) =>
  asOwner(deps, session, requestInfo, async ({ tx }) => ({ conversation: await findOpen(tx, ownerOf(session)) }), true);

/** Newest first: the visitor's conversations with this bot, open or closed. */
export const listConversations = (deps: VisitorDeps, session: VisitorSession, requestInfo: RequestInfo) =>
  asOwner(
    deps,
    session,
    requestInfo,
    async ({ tx }) => ({ data: await store.newestOwned(tx, ownerOf(session), maxListed) }),
    true,
  );
const maxListed = 20;

/** The same, after the browser's anonymous conversations have become the contact's. */
export const identify = (
  deps: VisitorDeps,
  session: VisitorSession,
  proof: VisitorProof | undefined,
  requestInfo: RequestInfo,
) =>
  asOwner(deps, session, requestInfo, async (ctx) => {
    if (proof) await mergeVisitor(ctx, session, proof);
    return { conversation: await findOpen(ctx.tx, ownerOf(session)) };
  });

/** For opening sessions: the conversation to continue; undefined if the visitor token was superseded. */
export const resumeVisitor =
  (services: Services) =>
  async ({ tenantId, visitorId, issuedAt }: { tenantId: Id<'tenant'>; visitorId: Id<'visitor'>; issuedAt: Date }) => {
    const caller = { tenantId, actor: { type: 'visitor' as const, id: visitorId }, permissions: new Set<never>() };
    return inTenant(
      services,
      caller,
      async ({ tx }) => {
        const visitor = await store.findVisitor(tx, visitorId);
        if (!visitor) return { conversation: null }; // has not sent a message yet, so there is no history to protect
        // Once identified, their history needs the session of the contact.
        if (visitor.tokensAfter > issuedAt || visitor.contactId !== null) return undefined;
        const { botId, environmentId } = visitor;
        return { conversation: await findOpen(tx, { botId, environmentId, visitorId, contactId: undefined }) };
      },
      { readOnly: true },
    );
  };

export const assertSameBot = (session: VisitorSession, botId: string) => {
  if (session.botId !== botId) throw forbidden('bot_mismatch', 'This session belongs to another bot.');
};
