import type { LogEvent } from '../shared/wire.ts';
import { readEvents } from './ask.ts';

interface Following {
  call(path: string, more: { isStream?: boolean; signal: AbortSignal }): Promise<Response>;
  path: string;
  after(): number;
  take(event: LogEvent): boolean;
  control: AbortController;
  /** Something came. */
  onLive(): void;
}

/** A stream says something every 15 seconds; one that is silent for longer has lost its other end. */
const silentMs = 40_000;
/** The first byte comes at once, unless something on the way collects what it passes on. */
const firstByteMs = 5_000;
/** How many times to ask without a stream, before one is tried again. */
let asksLeft = 0;

/** The log from where we are, as it grows. Where streams do not get through, by asking again and again. */
export async function followLog({ call, path, after, take, control, onLive }: Following): Promise<void> {
  const { signal } = control;
  if (asksLeft > 0) {
    asksLeft--;
    const response = await call(`${path}?after=${after()}&wait=20`, { signal });
    const { data } = (await response.json()) as { data: LogEvent[] };
    onLive();
    data.forEach(take);
    return;
  }
  let timer = setTimeout(() => {
    asksLeft = 10;
    control.abort();
  }, firstByteMs);
  try {
    const response = await call(`${path}?after=${after()}`, { isStream: true, signal });
    await readEvents(
      response,
      (event) => take(event) || control.abort(),
      () => {
        clearTimeout(timer);
        timer = setTimeout(() => control.abort(), silentMs);
        onLive();
      },
    );
  } finally {
    clearTimeout(timer);
  }
}
