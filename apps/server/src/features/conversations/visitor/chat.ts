import { inTenant, type Context, type RequestInfo, type VisitorSession } from '../../../platform/context.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { streamResponse, type StreamedResponse } from '../../../platform/http/stream.ts';
import { ipKey, type Consume } from '../../../platform/rate-limit.ts';
import type { RestateClient } from '../../../platform/restate.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { acceptMessage, asVisitor, type Accepted } from './accept.ts';
import type { Conversation, Message, SendMessage, Turn } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { follow, waitFor, type Ended } from '../log/follow.ts';
import type { Told } from '../log/live.ts';
import { entriesAfter, findMessage } from '../log/log.store.ts';
import { asOwner, own, type VisitorParts } from './visitor.service.ts';
import { wakeConversation } from '../turn/wake.ts';

// What goes on while it is answered: messages and streams.

export interface ChatParts extends VisitorParts {
  restate: RestateClient;
  consume: Consume;
  log: Log;
  endedBy(session: VisitorSession, requestInfo: RequestInfo): Promise<Ended | null>;
}

const limits = {
  session: { name: 'messages-session', points: 20, seconds: 60 },
  address: { name: 'messages-ip', points: 60, seconds: 60 },
  bot: { name: 'messages-bot', points: 1_200, seconds: 60 },
  tenant: { name: 'messages-tenant', points: 6_000, seconds: 60 },
};

/** The narrowest first: whoever is refused by their own limit takes nothing from everybody's. */
async function takeTurns(
  { consume: takeOne }: ChatParts,
  { visitorId, botId, tenantId }: VisitorSession,
  requestInfo: RequestInfo,
) {
  requestInfo.setRateState?.(await takeOne(limits.session, visitorId, tenantId));
  await takeOne(limits.address, ipKey(requestInfo.ip), tenantId);
  await Promise.all([takeOne(limits.bot, botId, tenantId), takeOne(limits.tenant, tenantId, tenantId)]);
}

const answerWithinMs = 25_000;

/** A message, answered when its turn is over; or as a stream, which ends with the answer. */
export async function sendMessage(
  parts: ChatParts,
  session: VisitorSession,
  input: SendMessage,
  requestInfo: RequestInfo,
): Promise<Answered | StreamedResponse> {
  await takeTurns(parts, session, requestInfo);
  const { tenantId } = session;
  const { entitlements } = await parts.tenantState(tenantId);
  const accepted = await inTenant(parts.services, asVisitor(session, requestInfo.requestId), (ctx) =>
    acceptMessage(ctx, session, input, entitlements),
  );
  const { conversationId, turnId, message } = accepted;
  // Not waited for, and no harm if it fails: the relay asks again, and the sweeper behind it.
  if (turnId && !accepted.isRepeat)
    void wakeConversation(parts.restate, { tenantId, conversationId, turnId }).catch((error: unknown) =>
      parts.log.warn({ err: error }, 'call to Restate failed; the relay will retry it'),
    );
  if (requestInfo.wantsStream)
    return streamResponse(async (sink) => {
      // Before anything else: whoever sent it may come back to the conversation from now on.
      sink.send({ id: message.seq, event: 'message.accepted', data: plain(accepted) });
      if (!turnId) return sink.end();
      const endedBy = () => parts.endedBy(session, requestInfo);
      await follow(parts, { tenantId, conversationId, after: message.seq, untilTurn: turnId, endedBy }, sink);
    });
  if (!turnId) return { ...plain(accepted), reply: null, turn: null };
  return settled(parts, session, accepted, requestInfo);
}

interface Answered {
  conversationId: Conversation['id'];
  message: Message;
  reply: Message | null;
  turn: Turn | null;
}
const plain = ({ conversationId, message }: Accepted) => ({ conversationId, message });

const isOver = ({ status }: Turn) => status !== 'queued' && status !== 'running';

/** The answer, or after 25 seconds what is known: the turn goes on by itself, and the stream has its end. */
async function settled(
  parts: ChatParts,
  session: VisitorSession,
  accepted: Accepted,
  requestInfo: RequestInfo,
): Promise<Answered> {
  const { conversationId, turnId } = accepted;
  const read = () =>
    inTenant(
      parts.services,
      asVisitor(session),
      async ({ tx }) => {
        const turn = orNotFound('turn', await store.findTurn(tx, conversationId, { id: turnId ?? '' }));
        const reply = isOver(turn) ? await findMessage(tx, conversationId, { messageId: turn.replyId }) : undefined;
        return { ...plain(accepted), reply: reply ?? null, turn };
      },
      { readOnly: true },
    );
  const look = async (): Promise<Answered | undefined> => {
    const now = await read();
    return isOver(now.turn) ? now : undefined;
  };
  const hear = (told: readonly Told[]): Answered | undefined => {
    const entry = told.find(({ type, data }) => type === 'reply.completed' && data['turnId'] === turnId);
    return entry && { ...plain(accepted), reply: entry.data['message'] as Message, turn: entry.data['turn'] as Turn };
  };
  const ended = await waitFor(parts, conversationId, answerWithinMs, {
    look,
    hear,
    isOnItsWay: ({ type }) => type === 'turn.started' || type.startsWith('action.'),
    isSureToCome: !accepted.isRepeat,
  });
  if (!ended) requestInfo.respondAccepted?.();
  return ended ?? read();
}

export async function followConversation(
  parts: ChatParts,
  session: VisitorSession,
  id: string,
  { after, wait }: { after: number; wait: number },
  requestInfo: RequestInfo,
) {
  const { tenantId } = session;
  await asOwner(parts, session, requestInfo, (ctx) => own(ctx, session, id), true);
  if (requestInfo.wantsStream)
    return streamResponse((sink) =>
      follow(parts, { tenantId, conversationId: id, after, endedBy: () => parts.endedBy(session, requestInfo) }, sink),
    );
  const read = () => asOwner(parts, session, requestInfo, ({ tx }) => entriesAfter(tx, id, { after, max: 200 }), true);
  const data =
    (await waitFor(parts, id, wait * 1_000, {
      look: async () => {
        const entries = await read();
        return entries.length > 0 ? entries : undefined;
      },
    })) ?? [];
  return { data, lastSeq: data.at(-1)?.seq ?? after };
}

export type AgentParts = Pick<VisitorParts, 'services' | 'signals'>;

/** The same stream as the visitor's, with what is for staff only. */
export async function followAsAgent(
  parts: AgentParts,
  { tx, tenantId }: Context,
  conversationId: string,
  after: number,
  requestInfo: RequestInfo,
) {
  orNotFound('conversation', await store.find(tx, conversationId));
  if (!requestInfo.wantsStream) {
    const data = await entriesAfter(tx, conversationId, { after, max: 200, withInternal: true });
    return { data, lastSeq: data.at(-1)?.seq ?? after };
  }
  const endsAt = Date.now() + 10 * 60_000; // as long as a token; then the portal opens it anew with its next one
  const endedBy = async () => {
    const refused = await requestInfo.recheckAccess?.();
    // Whose credential is over opens it anew with the next one, or hears why when they try.
    if (refused?.status === 401) return {};
    if (refused) return { reason: refused.reason, message: refused.message };
    return Date.now() < endsAt ? null : {};
  };
  return streamResponse((sink) =>
    follow(parts, { tenantId, conversationId, after, withInternal: true, endedBy }, sink),
  );
}
