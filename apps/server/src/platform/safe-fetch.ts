import { assertAllowedUrl, assertOpenHost, EgressRefused, resolveAllowed, type EgressPolicy } from './addresses.ts';
import { keepLines, type Line } from './egress-connections.ts';

export { EgressRefused, type EgressPolicy } from './addresses.ts';

export interface SafeRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** `connectMs` includes TLS, `totalMs` everything up to the last byte read. */
  timeouts?: { dnsMs?: number; connectMs?: number; headersMs?: number; totalMs?: number };
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface SafeResponse {
  status: number;
  headers: Record<string, string>;
  /** As sent: never decompressed, so that a small answer stays small. */
  body: Buffer;
  truncated: boolean;
  /** `connectMs` and `tlsMs` are 0 on a connection that was kept; `firstByteMs` begins when the request is written. */
  timings: { dnsMs: number; connectMs: number; tlsMs: number; firstByteMs: number; totalMs: number };
  remoteAddress: string;
}

/** A redirect is an answer like any other: nothing is followed. */
export type SafeFetch = (request: SafeRequest) => Promise<SafeResponse>;

type Step = 'dns' | 'connect' | 'headers' | 'body';
type Failure = 'timeout' | 'aborted' | 'connect_failed' | 'tls_failed' | 'reset' | 'headers_too_large' | 'bad_response';

/** Something went wrong on the way. Until `step` is `headers`, nothing of the request was sent. */
export class EgressFailed extends Error {
  readonly reason: Failure;
  readonly step: Step;

  constructor(reason: Failure, step: Step, cause?: unknown) {
    super(`The call failed: ${reason} at ${step}.`, { cause });
    this.name = 'EgressFailed';
    this.reason = reason;
    this.step = step;
  }
}

const defaultTimeouts = { dnsMs: 3000, connectMs: 3000, headersMs: 10_000, totalMs: 15_000 };
const defaultMaxBytes = 64 * 1024;
const maxAddresses = 4;

/** The framing is ours, and `host` would choose the name that TLS checks. */
const ourHeaders =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

/** The one door for all egress. Proxy variables of the environment mean nothing to it. */
export function createSafeFetch(policy: EgressPolicy): SafeFetch & { close(): Promise<void> } {
  policy.openHosts.forEach(assertOpenHost);
  const lines = keepLines(policy);

  const safeFetch: SafeFetch = async (request) => {
    const url = assertAllowedUrl(policy, request.url);
    const forbidden = Object.keys(request.headers ?? {}).find((name) => ourHeaders.test(name));
    if (forbidden) throw new EgressRefused('invalid_request', `The header '${forbidden}' may not be set.`);
    const clock = startClock(request);
    try {
      // Asked for each request, also when a connection was kept: a name that has turned private is refused.
      const addresses = await Promise.race([resolveAllowed(policy, url, clock.signal), clock.stopped]);
      const dnsMs = clock.elapsedMs();
      clock.enter('connect');
      let unreachable: unknown;
      for (const address of addresses.slice(0, maxAddresses)) {
        const line = lines.take(url, address);
        try {
          const answer = await Promise.race([exchange(line, url, request, clock), clock.stopped]);
          if (answer.truncated) lines.hangUp(line);
          else lines.giveBack(line);
          const { connectMs, tlsMs } = line;
          const timings = { dnsMs, connectMs, tlsMs, firstByteMs: answer.firstByteMs, totalMs: clock.elapsedMs() };
          const { status, headers, body, truncated } = answer;
          return { status, headers, body, truncated, timings, remoteAddress: address };
        } catch (error) {
          lines.hangUp(line);
          unreachable = error;
          if (!(error instanceof EgressFailed && error.reason === 'connect_failed')) break;
        }
      }
      throw unreachable;
    } finally {
      clock.stop();
    }
  };
  return Object.assign(safeFetch, { close: async () => lines.close() });
}

type Clock = ReturnType<typeof startClock>;

/** One limit for the whole and one for the step it is in; undici's own are too coarse and leave the body out. */
function startClock({ timeouts, signal }: SafeRequest) {
  const limits = { ...defaultTimeouts, ...timeouts };
  const limitOf: Partial<Record<Step, number>> = {
    dns: limits.dnsMs,
    connect: limits.connectMs,
    headers: limits.headersMs,
  };
  const startedAt = performance.now();
  const controller = new AbortController();
  let step: Step = 'dns';
  const fail = (reason: Failure) => controller.abort(new EgressFailed(reason, step, signal?.reason));
  const timeOut = () => fail('timeout');
  const abort = () => fail('aborted');
  const total = setTimeout(timeOut, limits.totalMs);
  let current = setTimeout(timeOut, limits.dnsMs);

  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  stopped.catch(() => undefined); // most requests end before anyone waits for this
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();

  return {
    signal: controller.signal,
    stopped,
    step: () => step,
    elapsedMs: () => performance.now() - startedAt,
    enter(next: Step) {
      step = next;
      clearTimeout(current);
      const limit = limitOf[next];
      if (limit !== undefined) current = setTimeout(timeOut, limit);
    },
    stop() {
      clearTimeout(total);
      clearTimeout(current);
      signal?.removeEventListener('abort', abort);
    },
  };
}

interface Answer extends Pick<SafeResponse, 'status' | 'headers' | 'body' | 'truncated'> {
  firstByteMs: number;
}

function exchange(line: Line, url: URL, request: SafeRequest, clock: Clock): Promise<Answer> {
  const { method = 'GET', body = null, maxBytes = defaultMaxBytes } = request;
  const headers = { 'accept-encoding': 'identity', ...request.headers };
  const chunks: Buffer[] = [];
  const answer = { status: 0, headers: {}, firstByteMs: 0 };
  let room = maxBytes;
  let sentAtMs = 0;
  line.connectMs = line.tlsMs = 0;
  return new Promise((resolve, reject) => {
    const finish = (truncated: boolean) => resolve({ ...answer, body: Buffer.concat(chunks), truncated });
    const path = url.pathname + url.search;
    line.client.dispatch(
      { method, path, headers, body },
      {
        onRequestStart() {
          sentAtMs = clock.elapsedMs();
          clock.enter('headers');
        },
        onResponseStart(_controller, status, received) {
          if (status < 200) return;
          clock.enter('body');
          answer.status = status;
          answer.headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
          answer.firstByteMs = clock.elapsedMs() - sentAtMs;
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk.subarray(0, room));
          if (chunk.length > room) finish(true);
          room = Math.max(0, room - chunk.length);
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_controller, error) => reject(explain(error, line, clock.step())),
      },
    );
  });
}

/** By name: the parser's errors carry no code. */
const malformed = ['HTTPParserError', 'ResponseContentLengthMismatchError'];

function explain(error: Error & { code?: string }, line: Line, step: Step): Error {
  if (error instanceof EgressRefused) return error;
  if (error.code === 'UND_ERR_INVALID_ARG') return new EgressRefused('invalid_request', 'This cannot be sent.', error);
  if (step === 'connect') return new EgressFailed(line.connectMs > 0 ? 'tls_failed' : 'connect_failed', step, error);
  if (error.code === 'UND_ERR_HEADERS_OVERFLOW') return new EgressFailed('headers_too_large', step, error);
  return new EgressFailed(malformed.includes(error.name) ? 'bad_response' : 'reset', step, error);
}
