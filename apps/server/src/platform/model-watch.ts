import type { ModelRequest } from './model-types.ts';

type Fetch = typeof globalThis.fetch;

/** Aborts a response that times out, stalls, or is cancelled by the caller. */
export function watchResponse({ firstTokenMs, stallMs, totalMs, signal }: ModelRequest) {
  const controller = new AbortController();
  let endReason: 'timeout' | 'stopped' | undefined;
  let streamError: unknown;
  const end = (reason: 'timeout' | 'stopped') => {
    endReason ??= reason;
    controller.abort();
  };
  const stop = () => end('stopped');
  const totalTimer = setTimeout(end, totalMs, 'timeout');
  let idleTimer = setTimeout(end, firstTokenMs, 'timeout');
  let hasStarted = false;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();

  return {
    signal: controller.signal,
    /** Why it was aborted, if it was. */
    endReason: () => endReason,
    /** The error that cut the response off. */
    streamError: () => streamError,
    /** A chunk arrived. */
    recordProgress() {
      if (hasStarted) return void idleTimer.refresh();
      hasStarted = true;
      clearTimeout(idleTimer);
      idleTimer = setTimeout(end, stallMs, 'timeout');
    },
    /** The response is complete; only the end of the connection is missing. */
    expectNoMore() {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(end, 100, 'timeout');
    },
    close() {
      clearTimeout(totalTimer);
      clearTimeout(idleTimer);
      signal?.removeEventListener('abort', stop);
    },
    /** Ends a response that is cut off normally, so that the SDK still returns what arrived. */
    wrapFetch:
      (fetch: Fetch): Fetch =>
      async (input, init) => {
        const { status, headers, body, ok } = await fetch(input, init);
        if (!ok || !body) return new Response(body, { status, headers });
        const reader = body.getReader();
        const safeBody = new ReadableStream<Uint8Array>(
          {
            async pull(into) {
              try {
                const { done, value } = await reader.read();
                if (done) into.close();
                else into.enqueue(value);
              } catch (error) {
                streamError = error;
                into.close();
              }
            },
            cancel: (reason) => reader.cancel(reason),
          },
          { highWaterMark: 0 },
        );
        return new Response(safeBody, { status, headers });
      },
  };
}
