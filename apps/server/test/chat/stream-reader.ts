import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface Heard {
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

/** Reads server-sent events as a page does, until they end or the test does. */
export async function readEvents(
  url: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
) {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  onTestFinished(leave);
  const response = await fetch(url, {
    ...init,
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const events: Heard[] = [];
  let isOver = false;
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
    .finally(() => (isOver = true));
  return {
    answer: response,
    events,
    ended,
    isOver: () => isOver,
    leave,
    /** Waits for an event, also for one that came before. */
    async waitFor(isIt: (heard: Heard) => unknown, ms = 30_000): Promise<Heard> {
      for (const startedAt = Date.now(); Date.now() - startedAt < ms; await sleep(10)) {
        const found = events.find(isIt);
        if (found) return found;
      }
      throw new Error(`it did not come within ${ms} ms: ${JSON.stringify(events.map(({ id, event }) => [id, event]))}`);
    },
  };
}
export type Reader = Awaited<ReturnType<typeof readEvents>>;

function read(block: string): Heard[] {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const place = line.indexOf(':');
      return [line.slice(0, place), line.slice(place + 1).trimStart()];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return []; // a heartbeat
  return [
    {
      id: Number(fields.get('id')),
      event: fields.get('event') ?? '',
      data: JSON.parse(data) as Heard['data'],
      atMs: Date.now(),
    },
  ];
}

/** What a page shows of an answer: words where they belong, and in the end the whole. Throws where a piece is missing. */
export function shown(events: readonly Heard[], messageId: string): { texts: string[]; final: string | undefined } {
  let text = '';
  const texts: string[] = [];
  let final: string | undefined;
  for (const { event, data } of events) {
    if (event === 'reply.delta' && data.messageId === messageId) {
      if ((data.at ?? 0) > text.length) throw new Error(`a piece is missing before ${data.at}: ${text}`);
      text = text.slice(0, data.at) + data.text;
      texts.push(text);
    }
    if (event === 'reply.completed' && data.message?.id === messageId) final = data.message.text;
  }
  return { texts, final };
}
