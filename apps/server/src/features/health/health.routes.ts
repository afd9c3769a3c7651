import { z } from 'zod';
import { unavailable } from '../../platform/errors.ts';
import { publicRoute } from '../../platform/http/route.ts';

const Part = z.enum(['up', 'away']);

export interface HealthParts {
  isStopping: () => boolean;
  /** Without this nothing can be accepted. */
  database: () => Promise<unknown>;
  /** May be away: limits become local, and accepted work waits. */
  others: Readonly<Record<'valkey' | 'restate', () => Promise<unknown>>>;
}

const within = (promise: Promise<unknown>) =>
  Promise.race([promise, new Promise((_resolve, reject) => setTimeout(reject, 1_500, new Error('timed out')).unref())]);
const stateOf = (look: () => Promise<unknown>) =>
  within(look()).then(
    () => 'up' as const,
    () => 'away' as const,
  );

export const healthRoutes = ({ isStopping, database, others }: HealthParts) => [
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
    response: z.object({ status: z.literal('ok'), parts: z.object({ postgres: Part, valkey: Part, restate: Part }) }),
    handler: async () => {
      if (isStopping())
        throw unavailable('shutting_down', 'This process is shutting down. Retry, and another one will respond.');
      const [postgres, valkey, restate] = await Promise.all([
        stateOf(database),
        stateOf(others.valkey),
        stateOf(others.restate),
      ]);
      if (postgres === 'away') throw unavailable('database_unavailable', 'PostgreSQL is not responding.');
      return { status: 'ok' as const, parts: { postgres, valkey, restate } };
    },
  }),
];
