import { inTenant, type Context, type RequestInfo, type VisitorSession } from '../../../platform/context.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { streamResponse, type Sink, type StreamedResponse } from '../../../platform/http/stream.ts';
import { ipKey, type Consume } from '../../../platform/rate-limit.ts';
import type { RestateClient } from '../../../platform/restate-client.ts';
import { traceIdOf } from '../../../platform/spans.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { accessEnd } from '../agent/access-end.ts';
import { acceptMessage, asVisitor, type AcceptedMessage } from './accept.ts';
import type { Conversation, Message, SendMessage, Turn } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { follow, waitFor, type StreamEnd } from '../log/follow.ts';
import type { LogNotification } from '../log/live.ts';
import { entriesAfter, findMessage } from '../log/log.store.ts';
import { asOwner, own, type VisitorDeps } from './visitor.service.ts';
import { noteReplyAddress } from '../reply-email/reply-email.ts';
import { wakeConversation } from '../turn/conversation.interface.ts';
import type { QueuedMessage, TurnQueue } from './turn-queue.ts';

// Sending messages and following conversations.

export interface ChatDeps extends VisitorDeps {
  restate: RestateClient;
  consume: Consume;
  turnQueue: TurnQueue;
  log: Log;
  checkEnd(session: VisitorSession, requestInfo: RequestInfo): Promise<StreamEnd | null>;
}

const limits = {
  session: { name: 'messages-session', points: 20, seconds: 60 },
  ip: { name: 'messages-ip', points: 60, seconds: 60 },
  bot: { name: 'messages-bot', points: 1_200, seconds: 60 },
  tenant: { name: 'messages-tenant', points: 6_000, seconds: 60 },
};

/** Narrowest limit first: a rejected request does not consume the wider limits. */
async function consumeLimits(
  { consume }: ChatDeps,
  { visitorId, botId, tenantId }: VisitorSession,
  requestInfo: RequestInfo,
) {
  requestInfo.setRateState?.(await consume(limits.session, visitorId, tenantId));
  await consume(limits.ip, ipKey(requestInfo.ip), tenantId);
  await Promise.all([consume(limits.bot, botId, tenantId), consume(limits.tenant, tenantId, tenantId)]);
}

const replyTimeoutMs = 25_000;

/** Responds when the turn is over; or with a stream, which ends with the reply. */
export async function sendMessage(
  deps: ChatDeps,
  session: VisitorSession,
  input: SendMessage,
  requestInfo: RequestInfo,
): Promise<SendResult | StreamedResponse> {
  const queued = deps.turnQueue.enter(session.tenantId); // first: what is refused doesn't count against the visitor's limit
  const accepted = await accept(deps, session, input, requestInfo).catch((error: unknown) => {
    queued.leave();
    throw error;
  });
  const { turnId, isRepeat } = accepted;
  if (turnId && !isRepeat) wake(deps, session, { ...accepted, turnId }, requestInfo);
  else queued.leave();
  if (requestInfo.wantsStream)
    return streamResponse((sink) => streamReply(deps, session, { accepted, queued, requestInfo }, sink));
  if (!turnId) return { ...acceptedFields(accepted), reply: null, turn: null };
  return waitForReply(deps, session, { accepted, queued, requestInfo }).finally(queued.leave);
}

async function accept(deps: ChatDeps, session: VisitorSession, input: SendMessage, requestInfo: RequestInfo) {
  await consumeLimits(deps, session, requestInfo);
  const { entitlements } = await deps.tenantState(session.tenantId);
  return inTenant(deps.services, asVisitor(session, requestInfo), async (ctx) => {
    const message = await acceptMessage(ctx, session, input, entitlements);
    const isForPerson = message.turnId === null && !message.isRepeat;
    if (isForPerson && deps.config.SMTP_URL) await noteReplyAddress(ctx, message.conversationId, input);
    return message;
  });
}

/** Not awaited: if it fails, the relay retries it, and after that the sweeper. */
function wake(
  { restate, log }: ChatDeps,
  { tenantId }: VisitorSession,
  { conversationId, turnId }: { conversationId: AcceptedMessage['conversationId']; turnId: `turn_${string}` },
  { requestId, traceparent }: RequestInfo,
): void {
  wakeConversation(restate, { tenantId, conversationId, turnId }, traceparent).catch((error: unknown) => {
    const traceId = traceparent ? traceIdOf(traceparent) : undefined;
    const ids = { requestId, traceId, tenantId, conversationId, turnId };
    log.warn({ ...ids, err: error }, 'call to Restate failed; the relay will retry it');
  });
}

interface SentMessage {
  accepted: AcceptedMessage;
  queued: QueuedMessage;
  requestInfo: RequestInfo;
}

async function streamReply(
  deps: ChatDeps,
  session: VisitorSession,
  { accepted, queued, requestInfo }: SentMessage,
  sink: Sink,
): Promise<void> {
  const { conversationId, turnId, message } = accepted;
  sink.onEnd(queued.leave);
  // Sent first: from now on the client can reconnect to the conversation.
  sink.send({ id: message.seq, event: 'message.accepted', data: acceptedFields(accepted) });
  if (!turnId) return sink.end();
  const checkEnd = () => deps.checkEnd(session, requestInfo);
  const position = { tenantId: session.tenantId, conversationId, after: message.seq };
  const send: Sink['send'] = (event) => {
    queued.started();
    sink.send(event);
  };
  await follow(deps, { ...position, untilTurn: turnId, isAnonymous: !session.contact, checkEnd }, { ...sink, send });
}

interface SendResult {
  conversationId: Conversation['id'];
  message: Message;
  reply: Message | null;
  turn: Turn | null;
}
const acceptedFields = ({ conversationId, message }: AcceptedMessage) => ({ conversationId, message });

const isOver = ({ status }: Turn) => status !== 'queued' && status !== 'running';

/** The reply, or the current state after 25 seconds. The turn continues, and the stream will have its reply. */
async function waitForReply(
  deps: ChatDeps,
  session: VisitorSession,
  { accepted, queued, requestInfo }: SentMessage,
): Promise<SendResult> {
  const { conversationId, turnId, message } = accepted;
  const read = () =>
    inTenant(
      deps.services,
      asVisitor(session),
      async ({ tx }) => {
        const turn = orNotFound('turn', await store.findTurn(tx, conversationId, { id: turnId ?? '' }));
        const reply = isOver(turn) ? await findMessage(tx, conversationId, { messageId: turn.replyId }) : undefined;
        return { ...acceptedFields(accepted), reply: reply ?? null, turn };
      },
      { readOnly: true },
    );
  const poll = async (): Promise<SendResult | undefined> => {
    const now = await read();
    return isOver(now.turn) ? now : undefined;
  };
  const matchNotification = (notified: readonly LogNotification[]): SendResult | undefined => {
    if (notified.some(({ seq }) => seq > message.seq)) queued.started();
    const entry = notified.find(({ type, data }) => type === 'reply.completed' && data['turnId'] === turnId);
    return (
      entry && {
        ...acceptedFields(accepted),
        reply: entry.data['message'] as Message,
        turn: entry.data['turn'] as Turn,
      }
    );
  };
  const ended = await waitFor(deps, conversationId, replyTimeoutMs, {
    poll,
    matchNotification,
    isProgress: ({ type }) => type === 'turn.started' || type.startsWith('action.'),
    isPending: !accepted.isRepeat,
  });
  if (!ended) requestInfo.respondAccepted?.();
  return ended ?? read();
}

export async function followConversation(
  deps: ChatDeps,
  session: VisitorSession,
  id: string,
  { after, wait }: { after: number; wait: number },
  requestInfo: RequestInfo,
) {
  const { tenantId } = session;
  await asOwner(deps, session, requestInfo, (ctx) => own(ctx, session, id), true);
  if (requestInfo.wantsStream) {
    const checkEnd = () => deps.checkEnd(session, requestInfo);
    const options = { tenantId, conversationId: id, after, isAnonymous: !session.contact, checkEnd };
    return streamResponse((sink) => follow(deps, options, sink));
  }
  const read = () => asOwner(deps, session, requestInfo, ({ tx }) => entriesAfter(tx, id, { after, max: 200 }), true);
  const data =
    (await waitFor(deps, id, wait * 1_000, {
      poll: async () => {
        const entries = await read();
        return entries.length > 0 ? entries : undefined;
      },
    })) ?? [];
  return { data, lastSeq: data.at(-1)?.seq ?? after };
}

export type AgentDeps = Pick<VisitorDeps, 'services' | 'signals'>;

/** The visitor's stream plus internal entries. */
export async function followAsAgent(
  deps: AgentDeps,
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
  const checkEnd = accessEnd(requestInfo);
  return streamResponse((sink) =>
    follow(deps, { tenantId, conversationId, after, withInternal: true, checkEnd }, sink),
  );
}
