import { setTimeout as sleep } from 'node:timers/promises';

/** A signed request to forward. */
export interface Call {
  id: string;
  attempt: number;
  eventType: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

export interface ForwardResult {
  id: string;
  attempt: number;
  status: number | null;
  error: 'connect_failed' | 'timeout' | 'reset' | null;
  headers: Record<string, string>;
  body: string;
  ms: number;
}

/** The response headers that the service reads. */
const forwardedHeaders = ['content-type', 'retry-after', 'x-service-delivery', 'x-service-verified-key'];
const maxCharacters = 256 * 1024;
const retryDelayMs = 250;

interface ForwardOptions {
  /** How long to wait for a server that is down: it may be restarting. */
  absentMs: number;
  /** Whether an interrupted request may be retried. An event may, by its id; an action might run twice. */
  mayRepeat: boolean;
  /** Called once if no server responds. */
  onAbsent: () => void;
}

/** Forwards the request unchanged, and waits for a server that is starting. */
export async function forward(
  to: string,
  call: Call,
  { absentMs, mayRepeat, onAbsent }: ForwardOptions,
): Promise<ForwardResult> {
  const startedAt = performance.now();
  let isReported = false;
  for (;;) {
    const result = await attemptOnce(to, call, startedAt);
    const isAbsent = result.error === 'connect_failed' || (result.error === 'reset' && mayRepeat);
    if (!isAbsent || performance.now() - startedAt > absentMs) return result;
    if (!isReported) onAbsent();
    isReported = true;
    await sleep(retryDelayMs);
  }
}

async function attemptOnce(
  to: string,
  { id, attempt, headers, body, timeoutMs }: Call,
  startedAt: number,
): Promise<ForwardResult> {
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    const text = await response.text();
    const headerEntries = forwardedHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value.slice(0, 2_048)]];
    });
    return {
      id,
      attempt,
      status: response.status,
      error: null,
      headers: Object.fromEntries(headerEntries) as Record<string, string>,
      body: text.slice(0, maxCharacters),
      ms: elapsedMs(),
    };
  } catch (error) {
    return { id, attempt, status: null, error: reasonOf(error), headers: {}, body: '', ms: elapsedMs() };
  }
}

function reasonOf(error: unknown): NonNullable<ForwardResult['error']> {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const codes = new Set<string>();
  // A host name with two IPs fails once per IP.
  const collect = (one: unknown): void => {
    if (!(one instanceof Error)) return;
    if ('code' in one) codes.add(String(one.code));
    if (one instanceof AggregateError) one.errors.forEach(collect);
    collect(one.cause);
  };
  collect(error);
  const isAbsent = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'EADDRNOTAVAIL'].some((code) => codes.has(code));
  return isAbsent ? 'connect_failed' : 'reset';
}
