import { EgressFailed } from './safe-fetch-clock.ts';

export interface ResponseHead {
  status: number;
  headers: Record<string, string>;
}

/** Receives a response in chunks. `flow` applies back pressure to the sender. */
export interface Receiver {
  onHead(head: ResponseHead, flow: { pause(): void; resume(): void }): void;
  onData(chunk: Buffer): void;
}

/** Same checks and limits as a buffered response. A body that is too long, too slow or cut off fails at that point. */
export interface SafeStream extends ResponseHead {
  body: ReadableStream<Uint8Array>;
}

/** The sender is paused when this much is buffered. */
const maxBufferedBytes = 64 * 1024;

/** Resolves with status and headers; the body is streamed. */
export function streamOf(
  call: (receiver: Receiver) => Promise<{ truncated: boolean }>,
  abort: () => void,
): Promise<SafeStream> {
  const buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let result: { error?: unknown } | undefined;
  let flow: Parameters<Receiver['onHead']>[1] | undefined;
  let wake = () => {};

  // Buffered here, because a ReadableStream that fails discards its unread chunks.
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
        reject(error); // no effect after the head was received
        end({ error });
      },
    );
  });
}
