import { EgressRefused } from './ip-addresses.ts';
import { EgressFailed } from './safe-fetch-clock.ts';
import type { HttpClient, SafeRequest } from './safe-fetch.ts';

type Limits = Pick<SafeRequest, 'timeouts' | 'maxBytes'>;

/** Long timeouts for generated text; callers apply their own limits. */
const streamLimits = {
  timeouts: { connectMs: 5000, headersMs: 120_000, totalMs: 300_000 },
  maxBytes: 16 * 1024 * 1024,
};

const supportedOptions = new Set(['method', 'headers', 'body', 'signal']);
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const withoutBody = [204, 205, 304];

/** The HTTP client with the interface of `fetch`, for libraries. Throws for unsupported options instead of ignoring them. */
export function guardedFetch(httpClient: Pick<HttpClient, 'stream'>, limits: Limits = {}): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const unknown = Object.entries(init).find(([name, value]) => value !== undefined && !supportedOptions.has(name));
    if (unknown) throw new EgressRefused('invalid_request', `Unsupported option '${unknown[0]}'.`);
    if (typeof input !== 'string' && !(input instanceof URL))
      throw new EgressRefused('invalid_request', 'The target must be a URL.');
    if (init.body !== undefined && init.body !== null && typeof init.body !== 'string')
      throw new EgressRefused('invalid_request', 'The body must be a string.');
    const method = methods.find((name) => name === (init.method ?? 'GET').toUpperCase());
    if (!method) throw new EgressRefused('invalid_request', 'Unsupported method.');
    const { status, headers, body } = await httpClient.stream({
      url: String(input),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
      ...streamLimits,
      ...limits,
    });
    try {
      if (!withoutBody.includes(status)) return new Response(body, { status, headers });
      await body.cancel();
      return new Response(null, { status, headers });
    } catch (error) {
      await body.cancel().catch(() => undefined);
      throw new EgressFailed('bad_response', 'body', error); // invalid status or header
    }
  };
}
