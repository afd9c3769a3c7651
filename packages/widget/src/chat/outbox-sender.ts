import type { Message } from '../shared/wire.ts';
import { request, isPermanent, readEvents, type RequestError } from './request.ts';
import type { LeaderContext } from './leader-context.ts';

/** Sends messages one at a time, in order, each until it is accepted or permanently rejected. */
export async function runOutbox(leader: LeaderContext, signal: AbortSignal): Promise<void> {
  const { outbox, wakeup, session, change } = leader;
  let [waitMs, notBeforeMs] = [500, 0];
  let refreshedFor: string | undefined;
  while (!signal.aborted) {
    const item = outbox.next();
    const pauseMs = notBeforeMs - Date.now();
    if (!item || pauseMs > 0) {
      await wakeup.wait(item && pauseMs);
      continue;
    }
    try {
      await deliver(leader, item.id, item.text, signal);
      waitMs = 500;
      change();
    } catch (thrown) {
      const error = thrown as RequestError;
      if (signal.aborted) return;
      if (error.status === 401 && refreshedFor !== item.id) {
        session.drop(); // the session expired unnoticed: retry with a new one
        refreshedFor = item.id;
      } else if (isPermanent(error) && !(error.status === 401 && session.isIdentified)) {
        outbox.fail(item.id, error.message);
        leader.onFailed(error.message);
        change();
      } else if (error.status === 429) {
        notBeforeMs = Date.now() + (error.retryAfter || 5) * 1_000;
        change('busy');
      } else {
        refreshedFor = undefined; // the page may provide a valid token by then
        change('offline');
        await wakeup.wait(waitMs * (0.5 + Math.random()));
        waitMs = Math.min(waitMs * 2, 30_000);
      }
    }
  }
}

/** The request also streams the reply, which is read unless the log's stream is open. */
async function deliver(leader: LeaderContext, id: string, text: string, signal: AbortSignal): Promise<void> {
  const { outbox, wakeup, currentConversation, startConversation, applyEvent, streams, apiUrl, botId } = leader;
  const { token } = await leader.open();
  outbox.syncTabs();
  if (!outbox.all().some((item) => item.id === id)) return; // sent by another tab meanwhile
  const abortController = new AbortController();
  const stop = () => abortController.abort();
  signal.addEventListener('abort', stop);
  const acceptTimer = setTimeout(stop, 30_000);
  const accepted = ({ conversationId, message }: { conversationId: string; message: Message }) => {
    clearTimeout(acceptTimer);
    outbox.sent(id);
    if (conversationId !== currentConversation().id) startConversation(conversationId, message.seq - 1);
    const data = { message, ...(message.turnId && { turnId: message.turnId }) };
    const isInSequence = applyEvent({ seq: message.seq, type: 'message.created', data });
    if (currentConversation().cursor >= message.seq) outbox.drop(id);
    return isInSequence;
  };
  const response = await request(`${apiUrl}/widget/chatbots/${botId}/message`, {
    method: 'POST',
    body: { sessionToken: token, message: text, clientMessageId: id, context: leader.context() },
    isStream: true,
    signal: abortController.signal,
  });
  await new Promise<void>((resolve, reject) => {
    streams.stopReply = stop;
    void readEvents(response, (event) => {
      const isAccepted = event.type === 'message.accepted';
      const isInSequence = isAccepted ? accepted(event.data as never) : applyEvent(event);
      if (isAccepted) resolve();
      if (!isInSequence || streams.follower) stop(); // the log's own stream delivers it, or must fill the gap
    })
      .catch(() => {})
      .then(() => {
        clearTimeout(acceptTimer);
        streams.stopReply = undefined;
        reject(new Error('the stream ended early'));
        wakeup.wakeAll();
      });
  });
}
