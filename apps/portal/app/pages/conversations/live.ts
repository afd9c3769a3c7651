import { useEffect, useEffectEvent } from 'react';
import { readEvents } from '../../parts/server-events.ts';

interface Handlers {
  /** Something was added to the log. Only a hint: the data is then loaded, so nothing is lost or shown twice. */
  onUpdate(): void;
  onTyping(): void;
}

/** Follows an open conversation, from the last entry that was loaded. */
export function useLive(conversationId: string, lastSeq: number, handlers: Handlers): void {
  const update = useEffectEvent(() => handlers.onUpdate());
  const typing = useEffectEvent(() => handlers.onTyping());
  const readLastSeq = useEffectEvent(() => lastSeq);
  useEffect(() => {
    const controller = new AbortController();
    const from = readLastSeq();
    void readEvents(
      (lastId) => `/api/conversations/${conversationId}/events?after=${lastId ?? from}`,
      controller.signal,
      ({ event, data }) => {
        if (event === 'reply.delta') return; // the completed reply has its text
        if (event !== 'typing') update();
        else if ((data as { role: string }).role === 'visitor') typing();
      },
      () => update(), // load what happened while disconnected
    );
    return () => controller.abort();
  }, [conversationId]);
}
