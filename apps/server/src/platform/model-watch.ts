import type { ModelRequest } from './model-types.ts';

type Fetch = typeof globalThis.fetch;

/** Ends an answer that is late, that falls silent, or that the caller no longer wants. */
export function watchAnswer({ firstTokenMs, stallMs, totalMs, signal }: ModelRequest) {
  const controller = new AbortController();
  let why: 'timeout' | 'stopped' | undefined;
  let broken: unknown;
  const end = (reason: 'timeout' | 'stopped') => {
    why ??= reason;
    controller.abort();
  };
  const stop = () => end('stopped');
  const total = setTimeout(end, totalMs, 'timeout');
  let silence = setTimeout(end, firstTokenMs, 'timeout');
  let isTalking = false;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();

  return {
    signal: controller.signal,
    /** Who ended it, if it did not end by itself. */
    why: () => why,
    /** What cut the answer off on its way. */
    broken: () => broken,
    /** Something came. */
    heard() {
      if (isTalking) return void silence.refresh();
      isTalking = true;
      clearTimeout(silence);
      silence = setTimeout(end, stallMs, 'timeout');
    },
    /** The answer is complete; what is left is the end of its connection. */
    expectNoMore() {
      clearTimeout(silence);
      silence = setTimeout(end, 100, 'timeout');
    },
    close() {
      clearTimeout(total);
      clearTimeout(silence);
      signal?.removeEventListener('abort', stop);
    },
    /** Lets an answer that breaks off end like any other, so that the SDK still says how far it came. */
    through:
      (fetch: Fetch): Fetch =>
      async (input, init) => {
        const { status, headers, body, ok } = await fetch(input, init);
        if (!ok || !body) return new Response(body, { status, headers });
        const reader = body.getReader();
        const quiet = new ReadableStream<Uint8Array>(
          {
            async pull(into) {
              try {
                const { done, value } = await reader.read();
                if (done) into.close();
                else into.enqueue(value);
              } catch (error) {
                broken = error;
                into.close();
              }
            },
            cancel: (reason) => reader.cancel(reason),
          },
          { highWaterMark: 0 },
        );
        return new Response(quiet, { status, headers });
      },
  };
}
