import { eventsOf, type StreamEvent } from '../apps/server/test/chat/retrying-client.ts';
import type { Random } from '../apps/server/test/faults/random.ts';
import { sleepUntil } from './arrivals.ts';
import { discard, type Reply } from './client.ts';
import { defaults, retryUntilAccepted, retryAt, type VisitDeps } from './retrying.ts';
import type { Tenant } from './target.ts';

/** A message that is accepted or about to be. */
interface SentMessage {
  dueAt: number;
  turnId?: string;
  acceptedAt?: number;
  isFirstTokenTimed?: boolean;
  isAnswered?: boolean;
}

/** When the first part and the end of a turn's reply arrived, which can be before its acceptance on another connection. */
interface TurnTimes {
  firstAt: number;
  endAt?: number;
}

interface ChatOptions {
  random: Random;
  headers: Record<string, string>;
  sessionToken: string;
}

interface Accepted {
  conversationId: string;
  message: { seq: number; turnId: string | null };
}

/** The chat of one visitor: sends messages, and follows the conversation with an event stream that reconnects. */
export function openChat(deps: VisitDeps, { botId }: Tenant, { random, headers, sessionToken }: ChatOptions) {
  const { target, client, measures, isOver, giveUpMs, settleMs } = { ...defaults, ...deps };
  const left = new AbortController();
  const sent: SentMessage[] = [];
  const turns = new Map<string, TurnTimes>();
  let conversationId = '';
  let cursor = 0;
  let ownMessages = 0;
  let following: Promise<void> | undefined;
  let isFollowing = false;
  let onAnswer = () => {};

  /** Each connection has its entries in order, and none twice. Two connections may bring the same. */
  function entryReader() {
    let last = 0;
    return ({ event, id, data }: StreamEvent): void => {
      const turnId = data['turnId'] as string | undefined;
      if (event === 'reply.delta') return noteReply(turnId, false);
      if (event === 'typing' || event === 'read') return;
      if (id <= last) measures.total('entries repeated');
      last = Math.max(last, id);
      if (id <= cursor) return;
      cursor = id;
      const { role } = (data['message'] ?? {}) as { role?: string };
      if (event === 'message.created' && role === 'visitor') ownMessages++;
      if (event === 'turn.failed') measures.total('turns failed');
      if (event === 'turn.failed' || event === 'reply.completed') noteReply(turnId, true);
    };
  }

  function noteReply(turnId: string | undefined, isEnd: boolean): void {
    if (turnId === undefined) return;
    const now = performance.now();
    const times = turns.get(turnId) ?? { firstAt: now };
    if (isEnd && times.endAt !== undefined) measures.total('answers repeated');
    if (isEnd) times.endAt ??= now;
    turns.set(turnId, times);
    const message = sent.find((one) => one.turnId === turnId);
    if (message) timeReply(message);
  }

  function timeReply(message: SentMessage): void {
    const times = turns.get(message.turnId ?? '');
    if (!times || message.acceptedAt === undefined) return;
    const { dueAt } = message;
    if (!message.isFirstTokenTimed) measures.time('firstToken', Math.max(0, times.firstAt - message.acceptedAt), dueAt);
    message.isFirstTokenTimed = true;
    if (times.endAt === undefined || message.isAnswered) return;
    measures.time('answered', times.endAt - dueAt, dueAt);
    message.isAnswered = true;
    onAnswer();
  }

  function accept(message: SentMessage, { conversationId: id, message: { seq, turnId } }: Accepted): void {
    conversationId = id;
    if (turnId !== null) message.turnId = turnId;
    message.acceptedAt = performance.now();
    measures.time('accepted', message.acceptedAt - message.dueAt, message.dueAt);
    measures.total('messages accepted');
    if (seq > cursor) {
      cursor = seq;
      ownMessages++;
    }
    timeReply(message);
  }

  /** Resolves once the message is accepted. Reads on until the reply, unless the conversation's stream brings it. */
  const readAcceptance = (reply: Reply, message: SentMessage, stop: AbortController) =>
    new Promise<boolean>((resolve) => {
      const read = async () => {
        const apply = entryReader();
        for await (const entry of eventsOf(reply)) {
          if (entry.event !== 'message.accepted') apply(entry);
          else {
            accept(message, entry.data as unknown as Accepted);
            resolve(true);
            if (isFollowing) stop.abort();
          }
        }
      };
      void read()
        .catch(() => {})
        .then(() => {
          resolve(message.acceptedAt !== undefined);
          if (message.acceptedAt !== undefined) following ??= follow();
        });
    });

  async function follow(): Promise<void> {
    for (let waitMs = 500; !left.signal.aborted; waitMs = Math.min(waitMs * 2, 30_000)) {
      const openedAt = performance.now();
      const reply = await client.send({
        kind: 'widget',
        url: `${target.apiUrl}/widget/conversations/${conversationId}/events?after=${cursor}`,
        headers: { ...headers, authorization: `Bearer ${sessionToken}`, accept: 'text/event-stream' },
        dueAt: openedAt,
        signal: left.signal,
      });
      if (reply?.status === 200) {
        measures.time('streamOpened', performance.now() - openedAt, openedAt);
        await readStream(reply);
        if (!left.signal.aborted) measures.total('streams broken');
        waitMs = 500;
      } else if (reply) await discard(reply);
      if (!left.signal.aborted) await sleepUntil(retryAt(reply, waitMs, random), left.signal);
    }
  }

  async function readStream(reply: Reply): Promise<void> {
    measures.openStreams(1);
    isFollowing = true;
    try {
      const apply = entryReader();
      for await (const entry of eventsOf(reply)) apply(entry);
    } catch {
      // it broke, or the visitor left
    } finally {
      isFollowing = false;
      measures.openStreams(-1);
    }
  }

  const isUnanswered = ({ acceptedAt, turnId, isAnswered }: SentMessage) =>
    acceptedAt !== undefined && turnId !== undefined && !isAnswered;

  async function waitForAnswers(ms: number): Promise<void> {
    const waiting = new AbortController();
    onAnswer = () => void (sent.some(isUnanswered) || waiting.abort());
    onAnswer();
    await sleepUntil(performance.now() + ms, waiting.signal);
  }

  return {
    /** Sends a message until it is accepted, and waits for the reply. */
    say: async (text: string, dueAt: number): Promise<void> => {
      const message: SentMessage = { dueAt };
      sent.push(message);
      measures.total('messages');
      const body = {
        sessionToken,
        message: text,
        clientMessageId: `load-${random.between(0, 2 ** 31)}-${sent.length}`,
      };
      await retryUntilAccepted(deps, random, async () => {
        const stop = new AbortController();
        const reply = await client.send({
          kind: 'widget',
          method: 'POST',
          url: `${target.apiUrl}/widget/chatbots/${botId}/message`,
          headers: { ...headers, accept: 'text/event-stream' },
          body,
          dueAt,
          signal: stop.signal,
        });
        if (reply?.status !== 200) return reply;
        return (await readAcceptance(reply, message, stop)) ? reply : undefined;
      });
      if (message.acceptedAt === undefined) return measures.total('messages given up');
      if (!isOver.aborted) await waitForAnswers(giveUpMs);
    },
    /** Closes the stream once nothing is unanswered, and counts what is lost or was written twice. */
    leave: async (): Promise<void> => {
      if (sent.some(isUnanswered)) await waitForAnswers(settleMs);
      left.abort();
      await following;
      for (const { turnId } of sent.filter(isUnanswered)) {
        measures.total('messages lost');
        measures.problem('an accepted message without an answer', `${conversationId} ${turnId}`);
      }
      if (ownMessages > sent.length) measures.total('messages repeated', ownMessages - sent.length);
    },
  };
}
