import { buildServer, built } from '../bench/servers.ts';
import { buildPortal, portalClient, portalSettings } from '../tools/demo/portal.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort, startStack } from '../tools/stack/index.ts';
import type { Receiver } from '../tools/receiver/index.ts';
import { serversOf, type Observed } from './resources.ts';
import { seedTenants } from './seed.ts';
import type { Target, Tenant } from './target.ts';

interface StackOptions {
  tenants: number;
  isBuilt: boolean;
  receiver: Pick<Receiver, 'url' | 'host' | 'caPem'>;
  /** Called before anything is delivered. */
  onSeeded: (tenants: readonly Tenant[]) => void;
  /** More settings of API and worker. */
  settings?: Record<string, string>;
  log: (line: string) => void;
}

/** What Node allows itself in containers with the memory limits of the Helm chart: 768 MiB and 384 MiB. */
const heapMb = { server: 432, portal: 304 };

/** The real parts on this machine, as a deployment runs them: PostgreSQL with fsync, Valkey, Restate, API, worker and portal. */
export async function startOwnStack({ tenants, isBuilt, receiver, onSeeded, settings: more = {}, log }: StackOptions) {
  const started: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of started.splice(0).toReversed()) await end().catch(() => {});
  };
  const start = async () => {
    if (!isBuilt) {
      log('Building the server and the portal…');
      buildServer();
      await buildPortal('portal');
    }
    log('Starting PostgreSQL, Valkey and Restate…');
    const stack = await startStack('load', { keep: false, durable: true });
    started.push(stack.stop);
    const portalUrl = `http://localhost:${await freePort()}`;
    const settings: Record<string, string> = {
      ...(await prepare(stack, {
        portalUrl,
        receiver,
        clients: [portalClient('portal', portalUrl)],
      })),
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
      ...more,
    };
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const siteUrl = 'http://localhost:1';
    log(`Creating ${tenants} tenants…`);
    const seeded = await seedTenants(settings, { count: tenants, siteUrl, receiverUrl: receiver.url });
    onSeeded(seeded);
    log('Starting the API, worker and portal…');
    const ports = { api: await freePort(), worker: await freePort() };
    const run = (entry: string, env: Record<string, string>, heap = heapMb.server) => {
      const child = runEntry(entry, { NODE_ENV: 'production', ...env }, { heapMb: heap });
      started.push(child.stop);
      return () => (child.pid === undefined ? [] : [child.pid]);
    };
    const local = {
      API: run(built.api, { ...settings, METRICS_PORT: String(ports.api) }),
      worker: run(built.worker, { ...settings, METRICS_PORT: String(ports.worker) }),
      portal: run(
        'apps/portal/src/server.ts',
        { ...portalSettings('portal', stack.dir, portalUrl, apiUrl), TRUSTED_PROXIES: '127.0.0.1' },
        heapMb.portal,
      ),
      ...serversOf(stack.dir),
      'load generator': () => [process.pid],
    };
    const metrics = Object.fromEntries(
      [['API', ports.api] as const, ['worker', ports.worker] as const].map(([name, port]) => [
        name,
        `http://127.0.0.1:${port}/metrics`,
      ]),
    );
    await waitFor(`${apiUrl}/health/ready`);
    await waitFor(`http://127.0.0.1:${ports.worker}/health/ready`);
    await waitFor(`${portalUrl}/health/ready`);
    const target: Target = { apiUrl, portalUrl, siteUrl, tenants: seeded, metrics };
    const observed: Observed = { local, metrics };
    return { target, observed, stack, stop };
  };
  return start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
}
