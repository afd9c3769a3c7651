import { z } from 'zod';
import { unavailable } from '../../platform/errors.ts';
import { publicRoute } from '../../platform/http/route.ts';
import { productVersion } from '../../platform/product-version.ts';
import { componentStatus } from '../../platform/readiness.ts';

const ComponentStatus = z.enum(['up', 'away']);

export interface HealthDeps {
  isStopping: () => boolean;
  /** Required to accept requests. */
  database: () => Promise<unknown>;
  /** Optional: without them, rate limits become local and accepted work is delayed. */
  others: Readonly<Record<'valkey' | 'restate', () => Promise<unknown>>>;
}

// Public, because load balancers and roll-outs have no credentials. The code is open source, so that its version is no
// secret worth keeping.
const version = z.string().describe('The version of Parley that this process runs.');

export const healthRoutes = ({ isStopping, database, others }: HealthDeps) => [
  publicRoute({
    method: 'GET',
    path: '/health/live',
    name: 'isLive',
    tag: 'Health',
    summary: 'Liveness check',
    permission: 'public',
    response: z.object({ status: z.literal('ok'), version }),
    handler: () => ({ status: 'ok' as const, version: productVersion }),
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
      version,
      parts: z.object({ postgres: ComponentStatus, valkey: ComponentStatus, restate: ComponentStatus }),
    }),
    handler: async () => {
      if (isStopping())
        throw unavailable('shutting_down', 'This process is shutting down. Retry, and another one will respond.');
      const [postgres, valkey, restate] = await Promise.all([
        componentStatus(database),
        componentStatus(others.valkey),
        componentStatus(others.restate),
      ]);
      if (postgres === 'away') throw unavailable('database_unavailable', 'PostgreSQL is not responding.');
      return { status: 'ok' as const, version: productVersion, parts: { postgres, valkey, restate } };
    },
  }),
];
