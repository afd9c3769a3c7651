import type { Socket } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import type { Kind, Measures, Outcome } from './measures.ts';

// Requests whose outcome is measured. Built on the client that the server itself uses.

const timeoutMs = 30_000;
/** A stream has a heartbeat every 15 seconds. */
const silenceMs = 45_000;

interface Request {
  kind: Kind;
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** When it was due, in the time of `performance.now()`. */
  dueAt: number;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  body: Dispatcher.ResponseData['body'];
}

const outcomeOf = (status: number): Outcome => {
  if (status === 429) return 'limited';
  if (status === 503) return 'unavailable';
  return status >= 500 ? 'failed' : 'ok';
};

export function createClient(measures: Measures) {
  const connect = buildConnector({});
  const sockets = new Map<Socket, string>();
  const closed = new Map<string, number>();
  const agent = new Agent({
    keepAliveTimeout: 4_000,
    headersTimeout: timeoutMs,
    bodyTimeout: silenceMs,
    connect: (options, callback) =>
      connect(options, (...connected) => {
        const [, socket] = connected;
        if (socket) countBytes(socket, `${options.protocol}//${options.host}`);
        callback(...connected);
      }),
  });
  const countBytes = (socket: Socket, origin: string) => {
    sockets.set(socket, origin);
    socket.once('close', () => {
      sockets.delete(socket);
      closed.set(origin, (closed.get(origin) ?? 0) + socket.bytesRead);
    });
  };
  /** Bytes of responses so far, with their headers. */
  const received = (url: string): number => {
    const { origin } = new URL(url);
    const open = [...sockets].filter(([, to]) => to === origin).reduce((sum, [socket]) => sum + socket.bytesRead, 0);
    return open + (closed.get(origin) ?? 0);
  };

  /** `undefined` if there was no response. What was aborted by its own `signal` is not counted. */
  async function send({
    kind,
    method = 'GET',
    url,
    headers,
    body,
    dueAt,
    signal,
  }: Request): Promise<Reply | undefined> {
    const startedAt = performance.now();
    const { pathname } = new URL(url);
    const route = `${method} ${pathname.replaceAll(/\b[a-z]+_[0-9a-z]{20,}/g, ':id')}`;
    try {
      const response = await request(url, {
        method,
        dispatcher: agent,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      const { statusCode: status } = response;
      const outcome = outcomeOf(status);
      measures.outcome(kind, outcome, dueAt);
      measures.time('response', performance.now() - startedAt, dueAt);
      if (outcome === 'limited' || outcome === 'unavailable') {
        const missing = missingHeaders(status, response.headers);
        if (missing.length > 0) {
          measures.total('refusals without their headers');
          measures.problem(`${status} without ${missing.join(', ')}`, route);
        }
      }
      if (status >= 400) measures.problem(`${status} ${route}`, new Date().toISOString());
      return { status, headers: response.headers, body: response.body };
    } catch (error) {
      if (signal?.aborted) return undefined;
      measures.outcome(kind, 'failed', dueAt);
      measures.problem(`no response: ${describe(error)} ${route}`, new Date().toISOString());
      return undefined;
    }
  }
  return { send, received, close: () => agent.destroy() };
}
export type Client = ReturnType<typeof createClient>;

/** What a refusal must say for a client to behave well. */
function missingHeaders(status: number, headers: Reply['headers']): string[] {
  const seconds = Number(headers['retry-after']);
  return [
    ...(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3_600 ? [] : ['retry-after']),
    ...(headers['x-request-id'] ? [] : ['x-request-id']),
    ...(status === 429 && !headers['ratelimit'] ? ['ratelimit'] : []),
  ];
}

/** Seconds after which a refused client may try again. */
export const retryAfterOf = ({ headers }: Reply): number | undefined => {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
};

const describe = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);

/** The body as JSON; `undefined` if it is not, or if the connection broke. */
export const readJson = async <T>({ body }: Reply): Promise<T | undefined> =>
  body.json().then(
    (value) => value as T,
    () => undefined,
  );

/** Reads a body that isn’t needed, so that its connection can be used again. */
export const discard = async ({ body }: Reply): Promise<void> => body.dump().catch(() => {});
