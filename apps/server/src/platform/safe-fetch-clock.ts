export interface Timeouts {
  dnsMs?: number;
  connectMs?: number;
  headersMs?: number;
  totalMs?: number;
}

type Step = 'dns' | 'connect' | 'headers' | 'body';
type Failure =
  | 'timeout'
  | 'aborted'
  | 'connect_failed'
  | 'tls_failed'
  | 'reset'
  | 'headers_too_large'
  | 'too_large'
  | 'bad_response';

/** The request failed. Before the step `headers`, nothing was sent. */
export class EgressFailed extends Error {
  readonly reason: Failure;
  readonly step: Step;

  constructor(reason: Failure, step: Step, cause?: unknown) {
    super(`Request failed: ${reason} at ${step}.`, { cause });
    this.name = 'EgressFailed';
    this.reason = reason;
    this.step = step;
  }
}

const defaultTimeouts = { dnsMs: 3000, connectMs: 3000, headersMs: 10_000, totalMs: 15_000 };

export type Clock = ReturnType<typeof startClock>;

/** A total timeout and one per step. undici's own timeouts are too coarse and do not cover the body. */
export function startClock({ timeouts, signal }: { timeouts?: Timeouts; signal?: AbortSignal }) {
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
  stopped.catch(() => undefined); // avoids an unhandled rejection if nothing awaits it
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();

  return {
    signal: controller.signal,
    stopped,
    step: () => step,
    elapsedMs: () => performance.now() - startedAt,
    abort,
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
