import { useEffect, useEffectEvent } from 'react';

/**
 * Subscribes to the events of an open conversation. An event only triggers a reload of the messages, so that a lost
 * connection or a restart never loses or duplicates one.
 */
export function useLive(conversationId: string, lastSeq: number, onUpdate: () => void): void {
  const update = useEffectEvent(onUpdate);
  const readLastSeq = useEffectEvent(() => lastSeq);
  useEffect(() => {
    const controller = new AbortController();
    void subscribe(conversationId, readLastSeq(), controller.signal, () => update());
    return () => controller.abort();
  }, [conversationId]);
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Starts after the last loaded event and reconnects with backoff. */
async function subscribe(
  conversationId: string,
  from: number,
  signal: AbortSignal,
  onUpdate: () => void,
): Promise<void> {
  let after = from;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await fetch(`/api/conversations/${conversationId}/events?after=${after}`, {
        headers: { accept: 'text/event-stream', 'x-requested-with': 'portal' },
        signal,
      });
      if (response.status === 401) return location.reload();
      if (!response.ok || !response.body) throw new Error(String(response.status));
      onUpdate(); // load what happened while disconnected
      failures = 0;
      for await (const id of idsIn(response.body)) {
        if (id !== undefined) after = id;
        onUpdate();
      }
    } catch {
      failures++;
    }
    if (!signal.aborted) await sleep(Math.min(8_000, 300 * 2 ** failures) * (0.7 + Math.random() * 0.6));
  }
}

/** The `seq` of each event. Deltas of a streaming reply have none and are skipped. */
async function* idsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<number | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const id = /^id: ?(\d+)/m.exec(frame)?.[1];
      if (/^(data|event):/m.test(frame) && !/^event: ?reply\.delta/m.test(frame))
        yield id === undefined ? undefined : Number(id);
    }
  }
}
