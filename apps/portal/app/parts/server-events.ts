const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

export interface ServerEvent {
  id: number | undefined;
  event: string;
  data: unknown;
}

/** Reads a stream of events until aborted, and reconnects with backoff. `url` may depend on the last id received. */
export async function readEvents(
  url: string | ((lastId: number | undefined) => string),
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
  onConnected: () => void = () => {},
): Promise<void> {
  let lastId: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await fetch(typeof url === 'string' ? url : url(lastId), {
        headers: { accept: 'text/event-stream', 'x-requested-with': 'portal' },
        signal,
      });
      if (response.status === 401) return location.reload();
      if (!response.ok || !response.body) throw new Error(String(response.status));
      onConnected();
      failures = 0;
      for await (const event of eventsIn(response.body)) {
        lastId = event.id ?? lastId;
        onEvent(event);
      }
    } catch {
      failures++;
    }
    if (!signal.aborted) await sleep(Math.min(8_000, 300 * 2 ** failures) * (0.7 + Math.random() * 0.6));
  }
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = Object.fromEntries(frame.split('\n').map(fieldOf));
      if (fields['data'] === undefined) continue; // a heartbeat
      const id = fields['id'] === undefined ? undefined : Number(fields['id']);
      yield { id, event: fields['event'] ?? '', data: JSON.parse(fields['data']) };
    }
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
