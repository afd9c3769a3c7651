import { productVersion } from './product-version.ts';

type Check = () => Promise<unknown>;

const timeoutMs = 1_500;
const withTimeout = (promise: Promise<unknown>) =>
  Promise.race([
    promise,
    new Promise((_resolve, reject) => setTimeout(reject, timeoutMs, new Error('timed out')).unref()),
  ]);

export const componentStatus = (check: Check) =>
  withTimeout(check()).then(
    () => 'up' as const,
    () => 'away' as const,
  );

/** Concurrent and following calls share one result for `ttlMs`, so that a flood of probes is one check. */
function sharedFor<T>(ttlMs: number, load: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
  let last: { result: Promise<T>; at: number } | undefined;
  return () => {
    if (!last || now() - last.at >= ttlMs) last = { result: load(), at: now() };
    return last.result;
  };
}

export interface Readiness {
  status: 'ok' | 'not_ready' | 'shutting_down';
  version: string;
  parts?: Record<'postgres' | 'valkey', 'up' | 'away'>;
  isRegistered?: boolean;
}

interface WorkerReadinessDeps {
  database: Check;
  valkey: Check;
  /** Whether Restate knows this worker. */
  isRegistered: () => boolean;
  isStopping: () => boolean;
  now?: () => number;
}

/**
 * A worker is ready when it can do its work: roll-outs wait for that before they stop an older worker. The stop signal and
 * the registration take effect immediately; only the checks of other servers are shared.
 */
export function createWorkerReadiness({ database, valkey, isRegistered, isStopping, now }: WorkerReadinessDeps) {
  const checkParts = sharedFor(
    1_000,
    async () => {
      const [postgres, valkeyStatus] = await Promise.all([componentStatus(database), componentStatus(valkey)]);
      return { postgres, valkey: valkeyStatus };
    },
    now,
  );
  return async (): Promise<Readiness> => {
    const parts = await checkParts();
    if (isStopping()) return { status: 'shutting_down', version: productVersion };
    const isReady = isRegistered() && parts.postgres === 'up' && parts.valkey === 'up';
    return { status: isReady ? 'ok' : 'not_ready', version: productVersion, parts, isRegistered: isRegistered() };
  };
}
