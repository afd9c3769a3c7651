import { api, call, Problem } from '@parley/portal-kit/ui';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface PendingMessage {
  id: string;
  text: string;
  isNote: boolean;
  /** Rejected or in an unknown state: the author decides. */
  problem?: Problem;
  /** Accepted; shown until the messages are reloaded. */
  isSent?: boolean;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
const isTransient = ({ status }: Problem) => status === 0 || status >= 500 || status === 429;

/**
 * Sends messages one by one, in order, and retries until the service accepts or rejects them. Replies carry a client ID,
 * so that a retry after a lost response is deduplicated. Notes have none: after a lost response, the author is asked to
 * check.
 */
export function useOutbox(conversationId: string, onSent: () => Promise<unknown>) {
  const queue = useRef<PendingMessage[]>([]);
  const isBusy = useRef(false);
  const [pending, setPending] = useState<PendingMessage[]>([]);
  const setQueue = useCallback((next: PendingMessage[]) => {
    queue.current = next;
    setPending(next);
  }, []);

  const sendOne = useCallback(
    async ({ id, text, isNote }: PendingMessage): Promise<Problem | undefined> => {
      const params = { path: { id: conversationId } };
      for (let attempts = 0; ; attempts++) {
        try {
          if (isNote) await call(api.POST('/conversations/{id}/notes', { params, body: { text } }));
          else await call(api.POST('/conversations/{id}/replies', { params, body: { text, clientMessageId: id } }));
          return undefined;
        } catch (error) {
          const problem = error instanceof Problem ? error : new Problem(0, {});
          if (!isTransient(problem)) return problem;
          if (isNote)
            return new Problem(0, {
              message:
                'We couldn’t confirm that the note was added. Check the conversation above before you try again.',
            });
          await sleep(Math.min(5_000, 250 * 2 ** attempts));
        }
      }
    },
    [conversationId],
  );

  const flush = useCallback(async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    for (;;) {
      const next = queue.current.find(({ problem, isSent }) => !problem && !isSent);
      if (!next) break;
      const problem = await sendOne(next);
      const reloaded = problem ? undefined : onSent().catch(() => {});
      if (next.isNote) await reloaded; // notes have no client ID to match by
      setQueue(
        queue.current.flatMap((one) => {
          if (one.id !== next.id) return [one];
          if (problem) return [{ ...one, problem }];
          return next.isNote ? [] : [{ ...one, isSent: true }];
        }),
      );
    }
    isBusy.current = false;
  }, [setQueue, onSent, sendOne]);

  const add = useCallback(
    (text: string, isNote: boolean) => {
      setQueue([...queue.current, { id: crypto.randomUUID(), text, isNote }]);
      void flush();
    },
    [setQueue, flush],
  );
  const retry = (id: string) => {
    setQueue(queue.current.map((one) => (one.id === id ? { id, text: one.text, isNote: one.isNote } : one)));
    void flush();
  };
  const discard = (id: string) => setQueue(queue.current.filter((one) => one.id !== id));

  // Warn before leaving with unsent messages.
  const hasUnsent = pending.some(({ isSent }) => !isSent);
  useEffect(() => {
    if (!hasUnsent) return undefined;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', onBeforeUnload);
    return () => removeEventListener('beforeunload', onBeforeUnload);
  }, [hasUnsent]);

  return { pending, add, retry, discard };
}
