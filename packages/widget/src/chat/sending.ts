import type { Message } from '../shared/wire.ts';
import { ask, isFinal, readEvents, type Refusal } from './ask.ts';
import type { Shared } from './shared.ts';

/** One at a time, in the order they were written, each until it is accepted or refused for good. */
export async function sendAll(shared: Shared, signal: AbortSignal): Promise<void> {
  const { outbox, bell, session, change } = shared;
  let [waitMs, notBefore] = [500, 0];
  let renewedFor: string | undefined;
  while (!signal.aborted) {
    const item = outbox.next();
    const pauseMs = notBefore - Date.now();
    if (!item || pauseMs > 0) {
      await bell.wait(item && pauseMs);
      continue;
    }
    try {
      await deliver(shared, item.id, item.text, signal);
      waitMs = 500;
      change();
    } catch (thrown) {
      const error = thrown as Refusal;
      if (signal.aborted) return;
      if (error.status === 401 && renewedFor !== item.id) {
        session.drop(); // it ended unnoticed: once more, with another
        renewedFor = item.id;
      } else if (isFinal(error) && !(error.status === 401 && session.isNamed)) {
        outbox.fail(item.id, error.message);
        shared.onFailed(error.message);
        change();
      } else if (error.status === 429) {
        notBefore = Date.now() + (error.retryAfter || 5) * 1_000;
        change('busy');
      } else {
        renewedFor = undefined; // the page may have a better token by then
        change('offline');
        await bell.wait(waitMs * (0.5 + Math.random()));
        waitMs = Math.min(waitMs * 2, 30_000);
      }
    }
  }
}

/** The call streams the answer too. It is read from there if nothing else brings it. */
async function deliver(shared: Shared, id: string, text: string, signal: AbortSignal): Promise<void> {
  const { outbox, bell, talk, begin, take, streams, apiUrl, botId } = shared;
  const { token } = await shared.open();
  outbox.look();
  if (!outbox.all().some((item) => item.id === id)) return; // sent by another tab meanwhile
  const control = new AbortController();
  const stop = () => control.abort();
  signal.addEventListener('abort', stop);
  const late = setTimeout(stop, 30_000);
  const accepted = ({ conversationId, message }: { conversationId: string; message: Message }) => {
    clearTimeout(late);
    outbox.sent(id);
    if (conversationId !== talk().id) begin(conversationId, message.seq - 1);
    const data = { message, ...(message.turnId && { turnId: message.turnId }) };
    const isInStep = take({ seq: message.seq, type: 'message.created', data });
    if (talk().cursor >= message.seq) outbox.drop(id);
    return isInStep;
  };
  const response = await ask(`${apiUrl}/widget/chatbots/${botId}/message`, {
    method: 'POST',
    body: { sessionToken: token, message: text, clientMessageId: id, context: shared.context() },
    isStream: true,
    signal: control.signal,
  });
  await new Promise<void>((resolve, reject) => {
    streams.asking = stop;
    void readEvents(response, (event) => {
      const isAccepted = event.type === 'message.accepted';
      const isInStep = isAccepted ? accepted(event.data as never) : take(event);
      if (isAccepted) resolve();
      if (!isInStep || streams.following) stop(); // the log's own stream has it, or must bring what is missing
    })
      .catch(() => {})
      .then(() => {
        clearTimeout(late);
        streams.asking = undefined;
        reject(new Error('the stream ended early'));
        bell.ring();
      });
  });
}
