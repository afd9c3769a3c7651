import { useEffect, useEffectEvent } from 'react';
import { readEvents } from '../../parts/server-events.ts';

interface Handlers {
  /** Something has changed. Only a hint: the data is then loaded, so nothing is lost or shown twice. */
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
    let hasConnected = false;
    void readEvents(
      (lastId) => `/api/conversations/${conversationId}/events?after=${lastId ?? from}`,
      controller.signal,
      ({ event, data }) => {
        if (event === 'reply.delta') return; // the completed reply has its text
        const isOfAgent = (data as { role?: string }).role === 'agent';
        if (isOfAgent && (event === 'typing' || event === 'read')) return; // not shown here
        if (event === 'typing') typing();
        else update();
      },
      () => {
        // The log continues where it was. What the visitor read while disconnected is not in it.
        if (hasConnected) update();
        hasConnected = true;
      },
    );
    return () => controller.abort();
  }, [conversationId]);
}
