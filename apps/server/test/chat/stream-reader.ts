import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface StreamEvent {
  id: number;
  event: string;
  data: {
    turnId?: string;
    messageId?: string;
    at?: number;
    text?: string;
    message?: { id: string; text: string; finish: string | null; role: string };
    [field: string]: unknown;
  };
  atMs: number;
}

/** Reads server-sent events until the stream or the test ends. */
export async function readEvents(
  url: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
) {
  const aborter = new AbortController();
  const close = () => aborter.abort();
  onTestFinished(close);
  const response = await fetch(url, {
    ...init,
    headers: { accept: 'text/event-stream', ...headers },
    signal: aborter.signal,
  });
  const events: StreamEvent[] = [];
  let hasEnded = false;
  const ended = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      events.push(...blocks.flatMap(read));
    }
  })()
    .then(
      () => 'ended' as const,
      () => 'broken' as const,
    )
    .finally(() => (hasEnded = true));
  return {
    response,
    events,
    ended,
    hasEnded: () => hasEnded,
    leave: close,
    /** Waits for an event, including earlier ones. */
    async waitFor(matches: (entry: StreamEvent) => unknown, ms = 30_000): Promise<StreamEvent> {
      for (const startedAt = Date.now(); Date.now() - startedAt < ms; await sleep(10)) {
        const found = events.find(matches);
        if (found) return found;
      }
      throw new Error(
        `no matching event within ${ms} ms: ${JSON.stringify(events.map(({ id, event }) => [id, event]))}`,
      );
    },
  };
}
export type Reader = Awaited<ReturnType<typeof readEvents>>;

function read(block: string): StreamEvent[] {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const index = line.indexOf(':');
      return [line.slice(0, index), line.slice(index + 1).trimStart()];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return []; // a heartbeat
  return [
    {
      id: Number(fields.get('id')),
      event: fields.get('event') ?? '',
      data: JSON.parse(data) as StreamEvent['data'],
      atMs: Date.now(),
    },
  ];
}

/** The reply as a page would show it: deltas at their offset, and the final text. Throws if a delta is missing. */
export function renderReply(
  events: readonly StreamEvent[],
  messageId: string,
): { texts: string[]; final: string | undefined } {
  let text = '';
  const texts: string[] = [];
  let final: string | undefined;
  for (const { event, data } of events) {
    if (event === 'reply.delta' && data.messageId === messageId) {
      if ((data.at ?? 0) > text.length) throw new Error(`a delta is missing before ${data.at}: ${text}`);
      text = text.slice(0, data.at) + data.text;
      texts.push(text);
    }
    if (event === 'reply.completed' && data.message?.id === messageId) final = data.message.text;
  }
  return { texts, final };
}
