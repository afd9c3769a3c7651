import { ParleyError, refused, unanswered } from './errors.ts';
import { apiVersion, sdkVersion } from './generated/operations.ts';
import type { CallOptions, Connection } from './options.ts';

export interface Operation {
  method: string;
  path: string;
  /** The service does it once for each `Idempotency-Key`. */
  takesKey?: boolean;
}

export interface Input extends CallOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What we were told to wait for longer than this is the caller's to decide. */
const longestWaitMs = 60_000;

/** Who is calling, in headers: made anew for each attempt, from what is sent. */
export type Vouch = (body: string) => Promise<Record<string, string>>;

/** Makes calls: vouched for, repeated where that is safe, and thrown where they do not succeed. */
export function createSender(options: Connection, vouch: Vouch) {
  const base = options.apiUrl.replace(/(?<!\/)\/+$/, '');

  return async (operation: Operation, input: Input = {}): Promise<unknown> => {
    const { signal, maxRetries = options.maxRetries ?? 2 } = input;
    const url = base + addressOf(operation.path, input);
    const requestId = crypto.randomUUID();
    const headers = {
      'user-agent': `parley-sdk/${sdkVersion}`,
      'x-service-version': apiVersion,
      'x-request-id': requestId,
      // The same at every attempt: that is what makes a second one harmless.
      ...(operation.takesKey && { 'idempotency-key': input.idempotencyKey ?? crypto.randomUUID() }),
    };
    const request = { url, method: operation.method, headers, requestId };
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(request, input);
      } catch (error) {
        if (!(error instanceof ParleyError) || attempt >= maxRetries || !mayRepeat(operation, error)) throw error;
        const waitMs = error.retryAfterMs ?? Math.random() * Math.min(8_000, 500 * 2 ** attempt);
        if (waitMs > longestWaitMs) throw error;
        await pause(waitMs, signal);
      }
    }
  };

  async function once({ url, method, headers, requestId }: Attempt, { body, ...input }: Input): Promise<unknown> {
    const send = options.fetch ?? fetch;
    const timeout = AbortSignal.timeout(input.timeoutMs ?? options.timeoutMs ?? 30_000);
    const isFile = body instanceof Blob;
    const content = body === undefined || isFile ? body : JSON.stringify(body);
    const type = { 'content-type': isFile ? 'application/octet-stream' : 'application/json' };
    const vouched = await vouch(typeof content === 'string' ? content : '');
    try {
      const response = await send(url, {
        method,
        headers: { ...headers, ...vouched, ...(content !== undefined && type) },
        ...(content !== undefined && { body: content }),
        redirect: 'manual', // a key is not carried elsewhere
        signal: input.signal ? AbortSignal.any([input.signal, timeout]) : timeout,
      });
      const answer = jsonOf(await response.text());
      if (!response.ok || answer === undefined) throw refused(response, answer, requestId);
      return answer;
    } catch (error) {
      input.signal?.throwIfAborted();
      throw error instanceof ParleyError ? error : unanswered(error, url, requestId);
    }
  }
}

interface Attempt {
  url: string;
  method: string;
  headers: Record<string, string>;
  requestId: string;
}

function mayRepeat({ method, takesKey = false }: Operation, { status, code, reason }: ParleyError): boolean {
  if (method === 'POST' && !takesKey) return false;
  if (status === 429) return true; // refused before anything was done
  // The first may have been done, and then the second would meet a conflict that nobody caused.
  if (method === 'PATCH') return false;
  const isPassing = status === 500 || status === 502 || status === 503 || status === 504;
  return code === 'NETWORK' || isPassing || reason === 'request_in_progress';
}

function addressOf(path: string, { path: values = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name] ?? '';
    // A dot or two would be taken for another address, whatever they are written as.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`'${value}' is not a valid ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
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
