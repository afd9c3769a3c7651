import { api, call, Problem } from '@parley/portal-kit/ui';
import { useEffect, useSyncExternalStore } from 'react';

export interface PendingMessage {
  id: string;
  conversationId: string;
  text: string;
  isNote: boolean;
  /** Rejected or in an unknown state: the author decides. */
  problem?: Problem;
  /** Its position in the log, once accepted; shown until that is loaded. */
  sentSeq?: number;
}

// For all conversations, whichever is open: what was written is sent where it was written, or shown there as failed.
let queue: readonly PendingMessage[] = [];
const none: readonly PendingMessage[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();

function setQueue(next: readonly PendingMessage[]): void {
  queue = next;
  for (const listener of listeners) listener();
  // Warn before leaving with unsent messages.
  if (queue.some(({ sentSeq }) => sentSeq === undefined)) addEventListener('beforeunload', onBeforeUnload);
  else removeEventListener('beforeunload', onBeforeUnload);
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
const isTransient = ({ status }: Problem) => status === 0 || status >= 500 || status === 429;

/**
 * Retries until the service accepts or rejects the message. Replies carry a client ID, so that a retry after a lost response
 * is deduplicated. Notes have none: after a lost response, the author is asked to check.
 */
async function send({ id, conversationId, text, isNote }: PendingMessage): Promise<Partial<PendingMessage>> {
  const params = { path: { id: conversationId } };
  for (let attempts = 0; ; attempts++) {
    try {
      const { message } = isNote
        ? await call(api.POST('/conversations/{id}/notes', { params, body: { text } }))
        : await call(api.POST('/conversations/{id}/replies', { params, body: { text, clientMessageId: id } }));
      return { sentSeq: message.seq };
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(0, {});
      if (!isTransient(problem)) return { problem };
      if (isNote)
        return {
          problem: new Problem(0, {
            message: 'We couldn’t confirm that the note was added. Check the conversation above before you try again.',
          }),
        };
      await sleep(Math.min(5_000, 250 * 2 ** attempts));
    }
  }
}

const sending = new Set<string>();

/** Sends the messages of a conversation one by one, in order. */
async function flush(conversationId: string): Promise<void> {
  if (sending.has(conversationId)) return;
  sending.add(conversationId);
  for (;;) {
    const next = queue.find(
      (one) => one.conversationId === conversationId && !one.problem && one.sentSeq === undefined,
    );
    if (!next) break;
    const result = await send(next);
    setQueue(queue.map((one) => (one.id === next.id ? { ...one, ...result } : one)));
  }
  sending.delete(conversationId);
}

/** What was written in a conversation and is not in its log yet, of which `lastSeq` is the last entry that was loaded. */
export function useOutbox(conversationId: string, lastSeq: number) {
  const all = useSyncExternalStore(
    subscribe,
    () => queue,
    () => none,
  );
  const isLoaded = ({ conversationId: of, sentSeq }: PendingMessage) =>
    of === conversationId && sentSeq !== undefined && sentSeq <= lastSeq;
  useEffect(() => {
    if (all.some(isLoaded)) setQueue(all.filter((one) => !isLoaded(one)));
  });

  const add = (text: string, isNote: boolean) => {
    setQueue([...queue, { id: crypto.randomUUID(), conversationId, text, isNote }]);
    void flush(conversationId);
  };
  const retry = (messageId: string) => {
    setQueue(queue.map(({ problem, ...one }) => (one.id === messageId || !problem ? one : { ...one, problem })));
    void flush(conversationId);
  };
  const discard = (messageId: string) => setQueue(queue.filter(({ id }) => id !== messageId));
  const pending = all.filter((one) => one.conversationId === conversationId && !isLoaded(one));
  return { pending, add, retry, discard };
}
