import type { Pool } from 'pg';
import { createGauge } from './gauges.ts';
import { createHistogram } from './histogram.ts';
import { createCounter, instruments } from './instruments.ts';

const waits = createHistogram({
  name: 'db_client_connection_wait_time_seconds',
  help: 'Time until a transaction got a connection of the pool, a new one included.',
  labelNames: ['pool'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});
const timeouts = createCounter(
  'db_client_connection_timeouts_total',
  'Transactions that got no connection within DATABASE_WAIT_SECONDS. Each became an error.',
  { pool: ['main', 'lease'] },
);
const pools = new Map<Pool, string>();

const perPool = (name: string, help: string, read: (pool: Pool) => number) =>
  createGauge(instruments, { name, help, labelNames: ['pool'] }, (gauge) => {
    gauge.reset();
    for (const [pool, label] of pools) gauge.inc({ pool: label }, read(pool));
  });
const countGauge = { name: 'db_client_connection_count', help: 'Connections of the pool, by state.' };
createGauge(instruments, { ...countGauge, labelNames: ['pool', 'state'] }, (gauge) => {
  gauge.reset();
  for (const [pool, label] of pools) {
    gauge.inc({ pool: label, state: 'idle' }, pool.idleCount);
    gauge.inc({ pool: label, state: 'used' }, pool.totalCount - pool.idleCount);
  }
});
perPool('db_client_connection_max', 'The limit of the pool: DATABASE_POOL_SIZE.', (pool) => pool.options.max);
perPool(
  'db_client_connection_pending_requests',
  'Transactions that wait for a connection.',
  (pool) => pool.waitingCount,
);

/** Measures a pool until it ends. */
export function watchPool(pool: Pool, label: string) {
  const waited = waits.with({ pool: label });
  pools.set(pool, label);
  return {
    waited,
    failed: (error: unknown) => {
      if (error instanceof Error && /timeout exceeded when trying to connect/.test(error.message))
        timeouts.inc({ pool: label });
    },
    stop: () => pools.delete(pool),
  };
}
