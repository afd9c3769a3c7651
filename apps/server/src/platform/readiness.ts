import { productVersion } from './product-version.ts';

type Check = () => Promise<unknown>;

const timeoutMs = 1_500;
const steps = 3;

/**
 * Counts the time in steps. While this process is blocked, responses wait in its sockets, and Node runs timers before it reads
 * them: a block counts as one step, however long it is, so the process doesn't report PostgreSQL as away because it was busy
 * itself.
 */
function withTimeout(promise: Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    let passed = 0;
    timer = setInterval(() => {
      passed += 1;
      if (passed === steps) reject(new Error('timed out'));
    }, timeoutMs / steps).unref();
  });
  return Promise.race([promise, timeout]).finally(() => clearInterval(timer));
}

export const componentStatus = (check: Check) =>
  withTimeout(check()).then(
    () => 'up' as const,
    () => 'away' as const,
  );

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
}

/**
 * A worker is ready when it can do its work: roll-outs wait for that before they stop an older worker. Without Valkey it only
 * works more slowly, and taking all workers out of service would turn a small outage into a large one.
 */
export const createWorkerReadiness =
  ({ database, valkey, isRegistered, isStopping }: WorkerReadinessDeps) =>
  async (): Promise<Readiness> => {
    const [postgres, valkeyStatus] = await Promise.all([componentStatus(database), componentStatus(valkey)]);
    if (isStopping()) return { status: 'shutting_down', version: productVersion };
    const status = isRegistered() && postgres === 'up' ? 'ok' : 'not_ready';
    return {
      status,
      version: productVersion,
      parts: { postgres, valkey: valkeyStatus },
      isRegistered: isRegistered(),
    };
  };
