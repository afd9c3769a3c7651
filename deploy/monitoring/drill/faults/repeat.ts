import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats something until the returned function is called. */
export function repeat(everyMs: number, work: () => unknown): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work();
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return () => {
    stopping.abort();
    return running;
  };
}

/** Requests at a fixed rate, whatever their responses. */
export const request = (perSecond: number, url: string, init: () => RequestInit = () => ({})) =>
  repeat(1_000 / perSecond, () => {
    void fetch(url, { ...init(), signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.body?.cancel(),
      () => {},
    );
  });

export const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
