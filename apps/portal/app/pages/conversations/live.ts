import { useEffect, useRef } from 'react';

/**
 * Hears of everything that happens in a conversation, for as long as it is open. The stream only says that there is
 * something; what it is, is read from the record. So whatever a lost line or a restart swallows, nothing is missed or
 * shown twice.
 */
export function useLive(conversationId: string, lastSeq: number, onNews: () => void): void {
  const hear = useRef(onNews);
  hear.current = onNews;
  const seen = useRef(lastSeq);
  seen.current = lastSeq;
  useEffect(() => {
    const leaving = new AbortController();
    void follow(conversationId, seen.current, leaving.signal, () => hear.current());
    return () => leaving.abort();
  }, [conversationId]);
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** From the place up to which the page has read. */
async function follow(conversationId: string, from: number, signal: AbortSignal, onNews: () => void): Promise<void> {
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
      onNews(); // whatever happened while nobody listened
      failures = 0;
      for await (const id of idsIn(response.body)) {
        if (id !== undefined) after = id;
        onNews();
      }
    } catch {
      failures++;
    }
    if (!signal.aborted) await wait(Math.min(8_000, 300 * 2 ** failures) * (0.7 + Math.random() * 0.6));
  }
}

/** The place of each event in the log. Words of a reply that is being written have none. */
async function* idsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<number | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const id = /^id: ?(\d+)/m.exec(part)?.[1];
      if (/^(data|event):/m.test(part) && !/^event: ?reply\.delta/m.test(part))
        yield id === undefined ? undefined : Number(id);
    }
  }
}
