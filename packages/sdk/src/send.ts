import { ParleyError, errorFromResponse, networkError } from './errors.ts';
import { apiVersion, sdkVersion } from './generated/operations.ts';
import type { CallOptions, Connection } from './options.ts';
import { contentOf, exchange, urlOf, type OperationInput } from './request.ts';

export interface Operation {
  method: string;
  path: string;
  /** The operation accepts an `Idempotency-Key`. */
  takesKey?: boolean;
}

export type Input = OperationInput & CallOptions;

/** If `Retry-After` is longer, the error is thrown instead. */
const maxWaitMs = 60_000;

/** Returns the authentication headers. Called for each attempt, because they can depend on body and time. */
export type Authenticate = (body: string) => Promise<Record<string, string>>;

/** Sends authenticated requests, retries them where that is safe, and throws `ParleyError` on failure. */
export function createSender(options: Connection, authenticate: Authenticate) {
  const base = options.apiUrl.replace(/(?<!\/)\/+$/, '');

  return async (operation: Operation, input: Input = {}): Promise<unknown> => {
    const { signal, maxRetries = options.maxRetries ?? 2 } = input;
    const url = base + urlOf(operation.path, input);
    const requestId = crypto.randomUUID();
    const headers = {
      'user-agent': `parley-sdk/${sdkVersion}`,
      'x-service-version': apiVersion,
      'x-request-id': requestId,
      // The same for every attempt, so that retries are safe.
      ...(operation.takesKey && { 'idempotency-key': input.idempotencyKey ?? crypto.randomUUID() }),
    };
    const request = { url, method: operation.method, headers, requestId };
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOnce(request, input);
      } catch (error) {
        if (!(error instanceof ParleyError) || attempt >= maxRetries || !isRetryable(operation, error)) throw error;
        const waitMs = error.retryAfterMs ?? Math.random() * Math.min(8_000, 500 * 2 ** attempt);
        if (waitMs > maxWaitMs) throw error;
        await sleep(waitMs, signal);
      }
    }
  };

  async function sendOnce(
    { url, method, headers, requestId }: PreparedRequest,
    { body, ...input }: Input,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(input.timeoutMs ?? options.timeoutMs ?? 30_000);
    const signal = input.signal ? AbortSignal.any([input.signal, timeout]) : timeout;
    const content = contentOf(body);
    const credentials = await authenticate(typeof content === 'string' ? content : '');
    try {
      const request = { method, url, headers: { ...headers, ...credentials }, content, signal };
      const { response, body: result } = await exchange(request, options.fetch);
      if (!response.ok || result === undefined) throw errorFromResponse(response, result, requestId);
      return result;
    } catch (error) {
      input.signal?.throwIfAborted();
      throw error instanceof ParleyError ? error : networkError(error, url, requestId);
    }
  }
}

interface PreparedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  requestId: string;
}

function isRetryable({ method, takesKey = false }: Operation, { status, code, reason }: ParleyError): boolean {
  if (method === 'POST' && !takesKey) return false;
  if (status === 429) return true; // rejected before anything was done
  // The first attempt may have succeeded, and a retry would then cause a conflict.
  if (method === 'PATCH') return false;
  const isTransient = status === 500 || status === 502 || status === 503 || status === 504;
  return code === 'NETWORK' || isTransient || reason === 'request_in_progress';
}

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, failed) => {
    const stop = () => {
      clearTimeout(timer);
      failed(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
