import { EgressFailed } from './safe-fetch-clock.ts';

export interface ResponseHead {
  status: number;
  headers: Record<string, string>;
}

/** Whoever takes an answer as it comes. `flow` holds the sender back while nobody reads. */
export interface Receiver {
  onHead(head: ResponseHead, flow: { pause(): void; resume(): void }): void;
  onData(chunk: Buffer): void;
}

/** The same checks and limits as a whole answer. A body that is too long, too late or cut off fails when read so far. */
export interface SafeStream extends ResponseHead {
  body: ReadableStream<Uint8Array>;
}

/** So much may wait for its reader before the sender is held back. */
const maxBufferedBytes = 64 * 1024;

/** Answers with the head; what `call` receives after it is the body. */
export function streamOf(
  call: (receiver: Receiver) => Promise<{ truncated: boolean }>,
  abort: () => void,
): Promise<SafeStream> {
  const buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let result: { error?: unknown } | undefined;
  let flow: Parameters<Receiver['onHead']>[1] | undefined;
  let wake = () => {};

  // Chunks wait here and not in the stream: one that fails throws away what was not read yet.
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (buffered.length === 0 && !result) await new Promise<void>((resolve) => void (wake = resolve));
    const chunk = buffered.shift();
    if (chunk) {
      controller.enqueue(chunk);
      bufferedBytes -= chunk.length;
      if (bufferedBytes < maxBufferedBytes) flow?.resume();
    } else if (result && 'error' in result) controller.error(result.error);
    else if (result) controller.close();
  }

  return new Promise((resolve, reject) => {
    const end = (outcome: { error?: unknown }) => {
      result = outcome;
      wake();
    };
    call({
      onHead(head, itsFlow) {
        flow = itsFlow;
        const body = new ReadableStream<Uint8Array>({ pull, cancel: abort }, { highWaterMark: 0 });
        resolve({ ...head, body });
      },
      onData(chunk) {
        buffered.push(chunk);
        bufferedBytes += chunk.length;
        if (bufferedBytes >= maxBufferedBytes) flow?.pause();
        wake();
      },
    }).then(
      ({ truncated }) => end(truncated ? { error: new EgressFailed('too_large', 'body') } : {}),
      (error: unknown) => {
        reject(error); // means nothing once there is a head
        end({ error });
      },
    );
  });
}
