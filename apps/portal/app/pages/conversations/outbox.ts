import { api, call, Problem } from '@parley/portal-kit/ui';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface Pending {
  id: string;
  text: string;
  isNote: boolean;
  /** Refused, or nobody knows: waits for the writer's word. */
  problem?: Problem;
  /** The service has it; shown until the record is read again. */
  isSent?: boolean;
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));
const isPassing = ({ status }: Problem) => status === 0 || status >= 500 || status === 429;

/**
 * What was written here goes out one by one, in the order it was written, until the service has said yes or no. A reply
 * carries an id of its own, so that one sent again after a lost answer is the same one. A note has none at the service:
 * where its answer is lost, nobody knows, and the writer is told instead.
 */
export function useOutbox(conversationId: string, onSent: () => Promise<unknown>) {
  const queue = useRef<Pending[]>([]);
  const isBusy = useRef(false);
  const [pending, setPending] = useState<Pending[]>([]);
  const change = useCallback((next: Pending[]) => {
    queue.current = next;
    setPending(next);
  }, []);

  const sendOne = useCallback(
    async ({ id, text, isNote }: Pending): Promise<Problem | undefined> => {
      const params = { path: { id: conversationId } };
      for (let attempts = 0; ; attempts++) {
        try {
          if (isNote) await call(api.POST('/conversations/{id}/notes', { params, body: { text } }));
          else await call(api.POST('/conversations/{id}/replies', { params, body: { text, clientMessageId: id } }));
          return undefined;
        } catch (error) {
          const refused = error instanceof Problem ? error : new Problem(0, {});
          if (!isPassing(refused)) return refused;
          if (isNote)
            return new Problem(0, {
              message:
                'We couldn’t confirm that the note was added. Check the conversation above before you try again.',
            });
          await wait(Math.min(5_000, 250 * 2 ** attempts));
        }
      }
    },
    [conversationId],
  );

  const work = useCallback(async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    for (;;) {
      const next = queue.current.find(({ problem, isSent }) => !problem && !isSent);
      if (!next) break;
      const problem = await sendOne(next);
      const seen = problem ? undefined : onSent().catch(() => {});
      if (next.isNote) await seen; // in the record it has no id by which it would be known again
      change(
        queue.current.flatMap((one) => {
          if (one.id !== next.id) return [one];
          if (problem) return [{ ...one, problem }];
          return next.isNote ? [] : [{ ...one, isSent: true }];
        }),
      );
    }
    isBusy.current = false;
  }, [change, onSent, sendOne]);

  const add = useCallback(
    (text: string, isNote: boolean) => {
      change([...queue.current, { id: crypto.randomUUID(), text, isNote }]);
      void work();
    },
    [change, work],
  );
  const again = (id: string) => {
    change(queue.current.map((one) => (one.id === id ? { id, text: one.text, isNote: one.isNote } : one)));
    void work();
  };
  const drop = (id: string) => change(queue.current.filter((one) => one.id !== id));

  // Whoever leaves now would leave something unsent.
  const isWaiting = pending.some(({ isSent }) => !isSent);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isWaiting]);

  return { pending, add, again, drop };
}
