import { assertAllowedUrl, assertOpenHost, EgressRefused, resolveAllowed, type EgressPolicy } from './ip-addresses.ts';
import { createConnectionPool, type Connection } from './egress-connections.ts';
import { EgressFailed, startClock, type Clock, type Timeouts } from './safe-fetch-clock.ts';
import { streamOf, type ResponseHead, type Receiver, type SafeStream } from './safe-fetch-stream.ts';

export { EgressRefused, type EgressPolicy } from './ip-addresses.ts';
export { EgressFailed } from './safe-fetch-clock.ts';

export interface SafeRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** `connectMs` includes TLS, `totalMs` everything up to the last byte read. */
  timeouts?: Timeouts;
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface SafeResponse {
  status: number;
  headers: Record<string, string>;
  /** Never decompressed, which protects against compression bombs. */
  body: Buffer;
  truncated: boolean;
  /** `connectMs` and `tlsMs` are 0 on a reused connection; `firstByteMs` starts when the request is written. */
  timings: { dnsMs: number; connectMs: number; tlsMs: number; firstByteMs: number; totalMs: number };
  remoteAddress: string;
}

/** Redirects are returned, not followed. */
export type SafeFetch = (request: SafeRequest) => Promise<SafeResponse>;

/** Returns a buffered response, or streams it with `stream`. */
export type HttpClient = SafeFetch & {
  stream(request: SafeRequest): Promise<SafeStream>;
  /** Validates a URL without a DNS lookup, for a URL that is only stored now. */
  check(url: string): void;
  close(): Promise<void>;
};

const defaultMaxBytes = 64 * 1024;
const maxAddresses = 4;

/** We control the framing, and `host` must match the name that TLS verifies. */
const reservedHeaders =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

/** The only HTTP client for outgoing requests. Ignores proxy variables of the environment. */
export function createSafeFetch(policy: EgressPolicy): HttpClient {
  policy.openHosts.forEach(assertOpenHost);
  const connections = createConnectionPool(policy);

  /** Passes the response to the receiver in chunks, and resolves at its end. */
  async function call(request: SafeRequest, clock: Clock, receiver: Receiver) {
    try {
      const url = assertAllowedUrl(policy, request.url);
      const forbidden = Object.keys(request.headers ?? {}).find((name) => reservedHeaders.test(name));
      if (forbidden) throw new EgressRefused('invalid_request', `The header '${forbidden}' cannot be set.`);
      // Resolved for each request, even with a pooled connection, so that a name that became private is refused.
      const addresses = await Promise.race([resolveAllowed(policy, url, clock.signal), clock.stopped]);
      const dnsMs = clock.elapsedMs();
      clock.enter('connect');
      let lastError: unknown;
      for (const ip of addresses.slice(0, maxAddresses)) {
        const connection = connections.acquire(url, ip);
        try {
          const { firstByteMs, truncated } = await Promise.race([
            exchange(connection, url, request, clock, receiver),
            clock.stopped,
          ]);
          if (truncated) connections.discard(connection);
          else connections.release(connection);
          const { connectMs, tlsMs } = connection;
          const timings = { dnsMs, connectMs, tlsMs, firstByteMs, totalMs: clock.elapsedMs() };
          return { truncated, timings, remoteAddress: ip };
        } catch (error) {
          connections.discard(connection);
          lastError = error;
          if (!(error instanceof EgressFailed && error.reason === 'connect_failed')) break;
        }
      }
      throw lastError;
    } finally {
      clock.stop();
    }
  }

  const safeFetch: SafeFetch = async (request) => {
    const chunks: Buffer[] = [];
    let head: ResponseHead = { status: 0, headers: {} };
    const result = await call(request, startClock(request), {
      onHead: (received) => void (head = received),
      onData: (chunk) => void chunks.push(chunk),
    });
    return { ...head, body: Buffer.concat(chunks), ...result };
  };
  const stream = (request: SafeRequest) => {
    const clock = startClock(request);
    return streamOf((receiver) => call(request, clock, receiver), clock.abort);
  };
  const check = (url: string) => void assertAllowedUrl(policy, url);
  return Object.assign(safeFetch, { stream, check, close: async () => connections.close() });
}

function exchange(connection: Connection, url: URL, request: SafeRequest, clock: Clock, receiver: Receiver) {
  const { method = 'GET', body = null, maxBytes = defaultMaxBytes } = request;
  const headers = { 'accept-encoding': 'identity', ...request.headers };
  let remaining = maxBytes;
  let sentAtMs = 0;
  let firstByteMs = 0;
  connection.connectMs = connection.tlsMs = 0;
  return new Promise<{ firstByteMs: number; truncated: boolean }>((resolve, reject) => {
    const finish = (truncated: boolean) => resolve({ firstByteMs, truncated });
    const path = url.pathname + url.search;
    connection.client.dispatch(
      { method, path, headers, body },
      {
        onRequestStart() {
          sentAtMs = clock.elapsedMs();
          clock.enter('headers');
        },
        onResponseStart(controller, status, received) {
          if (status < 200) return;
          clock.enter('body');
          firstByteMs = clock.elapsedMs() - sentAtMs;
          const plain = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
          receiver.onHead({ status, headers: plain }, controller);
        },
        onResponseData(_controller, chunk) {
          if (remaining > 0) receiver.onData(chunk.subarray(0, remaining));
          if (chunk.length > remaining) finish(true);
          remaining = Math.max(0, remaining - chunk.length);
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_controller, error) => reject(toEgressError(error, connection, clock.step())),
      },
    );
  });
}

/** Matched by name, because the parser's errors have no code. */
const malformed = ['HTTPParserError', 'ResponseContentLengthMismatchError'];

function toEgressError(
  error: Error & { code?: string },
  connection: Connection,
  step: ReturnType<Clock['step']>,
): Error {
  if (error instanceof EgressRefused) return error;
  if (error.code === 'UND_ERR_INVALID_ARG')
    return new EgressRefused('invalid_request', 'The request cannot be sent.', error);
  if (step === 'connect')
    return new EgressFailed(connection.connectMs > 0 ? 'tls_failed' : 'connect_failed', step, error);
  if (error.code === 'UND_ERR_HEADERS_OVERFLOW') return new EgressFailed('headers_too_large', step, error);
  return new EgressFailed(malformed.includes(error.name) ? 'bad_response' : 'reset', step, error);
}
