import { z } from 'zod';
import { unavailable } from '../../platform/errors.ts';
import { publicRoute } from '../../platform/http/route.ts';

const ComponentStatus = z.enum(['up', 'away']);

export interface HealthDeps {
  isStopping: () => boolean;
  /** Required to accept requests. */
  database: () => Promise<unknown>;
  /** Optional: without them, rate limits become local and accepted work is delayed. */
  others: Readonly<Record<'valkey' | 'restate', () => Promise<unknown>>>;
}

const withTimeout = (promise: Promise<unknown>) =>
  Promise.race([promise, new Promise((_resolve, reject) => setTimeout(reject, 1_500, new Error('timed out')).unref())]);
const statusOf = (check: () => Promise<unknown>) =>
  withTimeout(check()).then(
    () => 'up' as const,
    () => 'away' as const,
  );

export const healthRoutes = ({ isStopping, database, others }: HealthDeps) => [
  publicRoute({
    method: 'GET',
    path: '/health/live',
    name: 'isLive',
    tag: 'Health',
    summary: 'Liveness check',
    permission: 'public',
    response: z.object({ status: z.literal('ok') }),
    handler: () => ({ status: 'ok' as const }),
  }),
  publicRoute({
    method: 'GET',
    path: '/health/ready',
    name: 'isReady',
    tag: 'Health',
    summary: 'Readiness check',
    description:
      'Ready as long as PostgreSQL responds. If Valkey or Restate is down, requests are still accepted and nothing is lost.',
    permission: 'public',
    response: z.object({
      status: z.literal('ok'),
      parts: z.object({ postgres: ComponentStatus, valkey: ComponentStatus, restate: ComponentStatus }),
    }),
    handler: async () => {
      if (isStopping())
        throw unavailable('shutting_down', 'This process is shutting down. Retry, and another one will respond.');
      const [postgres, valkey, restate] = await Promise.all([
        statusOf(database),
        statusOf(others.valkey),
        statusOf(others.restate),
      ]);
      if (postgres === 'away') throw unavailable('database_unavailable', 'PostgreSQL is not responding.');
      return { status: 'ok' as const, parts: { postgres, valkey, restate } };
    },
  }),
];
