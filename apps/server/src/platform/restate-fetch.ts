import { Pool } from 'undici';
import { secondsSince } from './metrics/histogram.ts';
import { restateRequestDone } from './metrics/server-calls.ts';

/**
 * `fetch` as Restate's client calls it: one origin, small bodies. The global one takes several times the CPU time, which
 * limits how fast the sweeper can call for many timers.
 */
export function createRestateFetch(ingressUrl: string): typeof fetch {
  const pool = new Pool(new URL(ingressUrl).origin);
  const send = async (url: string, { method = 'GET', headers, body, signal }: RequestInit) => {
    const { pathname, search } = new URL(url);
    const operation = pathname.endsWith('/send') ? 'send' : 'call';
    const startedAt = performance.now();
    const request = async () => {
      const response = await pool.request({
        path: pathname + search,
        method,
        headers: headers as Record<string, string>,
        body: body as Uint8Array | null,
        signal,
      });
      return { response, bytes: await response.body.arrayBuffer() };
    };
    const { response, bytes } = await request().catch((error: unknown) => {
      restateRequestDone(operation, undefined).observe(secondsSince(startedAt));
      throw error;
    });
    restateRequestDone(operation, response.statusCode).observe(secondsSince(startedAt));
    // Only what the client reads.
    return {
      ok: response.statusCode >= 200 && response.statusCode < 300,
      status: response.statusCode,
      headers: { get: (name: string) => response.headers[name.toLowerCase()] ?? null },
      arrayBuffer: async () => bytes,
      text: async () => Buffer.from(bytes).toString(),
    };
  };
  return send as unknown as typeof fetch;
}
