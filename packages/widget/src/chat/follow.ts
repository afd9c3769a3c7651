import type { LogEvent } from '../shared/wire.ts';
import { readEvents } from './request.ts';

interface FollowOptions {
  call(path: string, more: { isStream?: boolean; signal: AbortSignal }): Promise<Response>;
  path: string;
  after(): number;
  applyEvent(event: LogEvent): boolean;
  abortController: AbortController;
  /** Bytes arrived. */
  onLive(): void;
}

/** The server sends a heartbeat every 15 seconds; a longer silence means a dead connection. */
const idleTimeoutMs = 40_000;
/** The first byte comes immediately unless a proxy buffers the stream. */
const firstByteTimeoutMs = 5_000;
/** Long polls left before a stream is tried again. */
let pollsLeft = 0;

/** Follows the log from the current position, by stream, or by long polling where streams are blocked. */
export async function followLog({
  call,
  path,
  after,
  applyEvent,
  abortController,
  onLive,
}: FollowOptions): Promise<void> {
  const { signal } = abortController;
  if (pollsLeft > 0) {
    pollsLeft--;
    const response = await call(`${path}?after=${after()}&wait=20`, { signal });
    const { data } = (await response.json()) as { data: LogEvent[] };
    onLive();
    data.forEach(applyEvent);
    return;
  }
  let timer = setTimeout(() => {
    pollsLeft = 10;
    abortController.abort();
  }, firstByteTimeoutMs);
  try {
    const response = await call(`${path}?after=${after()}`, { isStream: true, signal });
    await readEvents(
      response,
      (event) => applyEvent(event) || abortController.abort(),
      () => {
        clearTimeout(timer);
        timer = setTimeout(() => abortController.abort(), idleTimeoutMs);
        onLive();
      },
    );
  } finally {
    clearTimeout(timer);
  }
}
