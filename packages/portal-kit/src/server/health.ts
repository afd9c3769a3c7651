import type { FastifyInstance } from 'fastify';

interface HealthOptions {
  apiUrl: string;
  version: string;
  isStopping: () => boolean;
  now?: () => number;
}

const ttlMs = 1_000;

/**
 * For load balancers and roll-outs: public, and without a session. The result of the last second is reused, so that a flood
 * of probes does not become a flood of requests to the API.
 */
export function healthRoutes(
  app: FastifyInstance,
  { apiUrl, version, isStopping, now = () => performance.now() }: HealthOptions,
) {
  const checkApi = () =>
    fetch(`${apiUrl}/health/live`, { signal: AbortSignal.timeout(1_500) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok ? ('up' as const) : ('away' as const);
      },
      () => 'away' as const,
    );
  let last: { api: ReturnType<typeof checkApi>; at: number } | undefined;
  const shared = () => {
    if (!last || now() - last.at >= ttlMs) last = { api: checkApi(), at: now() };
    return last.api;
  };

  app.get('/health/live', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok', version }),
  );
  app.get('/health/ready', async (_request, reply) => {
    const api = await shared();
    void reply.header('cache-control', 'no-store');
    if (isStopping()) return reply.status(503).send({ status: 'shutting_down', version });
    const isReady = api === 'up';
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not_ready', version, parts: { api } });
  });
}
