import { openSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { connect } from '../../../apps/server/src/platform/db.ts';
import { adminUrl as databaseUrl, buildAll, built } from '../../../bench/servers.ts';
import { seedTenants } from '../../../load/seed.ts';
import { portalClient, portalSettings } from '../../../tools/demo/portal.ts';
import { seedDemo } from '../../../tools/demo/seed.ts';
import { prepare } from '../../../tools/demo/settings.ts';
import { startMailCatcher } from '../../../tools/mail/index.ts';
import { startModelServer } from '../../../tools/model/index.ts';
import { startReceiver } from '../../../tools/receiver/index.ts';
import { freePort, startStack } from '../../../tools/stack/index.ts';
import { openDisk } from './disk.ts';
import { runProcess } from './process.ts';
import { openProxy } from './proxy.ts';
import { openTlsFront } from './tls-front.ts';

interface ProductOptions {
  isBuilt: boolean;
  log: (line: string) => void;
}

/** Not of this product: `METRICS_TOKEN` of all processes. */
export const metricsToken = 'metrics-token-of-the-alert-drill-only';

/** The whole product with the servers that it needs, and a network between them that can fail. */
export async function startProduct({ isBuilt, log }: ProductOptions) {
  const started: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of started.splice(0).toReversed()) await Promise.resolve(end()).catch(() => {});
  };
  const until = <T>(value: T, end: (value: T) => unknown): T => {
    started.push(() => end(value));
    return value;
  };

  async function start() {
    if (!isBuilt) {
      log('Building…');
      buildAll();
    }
    log('Starting PostgreSQL, Valkey and Restate…');
    const stack = until(await startStack('alerts', { keep: false, durable: true }), (one) => one.stop());
    const { postgres, valkey, restate } = stack.servers;
    if (!postgres || !valkey || !restate) throw new Error('The drill stops servers, so it needs its own.');
    let refuse: (recipient: string) => string | undefined = () => undefined;
    const smtpPort = await freePort();
    const startMail = () => startMailCatcher({ smtpPort, refuse: (recipient) => refuse(recipient) });
    let mail = await startMail();
    until(null, () => mail.stop());
    const model = until(await startModelServer(), (one) => one.close());
    const receiver = until(await startReceiver({ keep: 0 }), (one) => one.stop());
    const disk = until(openDisk(join(stack.dir, 'disk')), (one) => one?.close());

    const portalUrl = `http://localhost:${await freePort()}`;
    const adminPort = await freePort();
    const front = until(await openTlsFront(adminPort, receiver.certify), (one) => one.close());
    const settings: Record<string, string> = {
      ...(await prepare(stack, {
        portalUrl,
        adminUrl: front.url,
        model,
        receiver,
        smtpUrl: mail.smtpUrl,
        clients: [portalClient('portal', portalUrl), portalClient('admin', front.url)],
      })),
      METRICS_TOKEN: metricsToken,
      LOG_LEVEL: 'warn',
    };
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const siteUrl = 'http://localhost:1';
    const database = until(connect(databaseUrl(stack), { max: 4, queryMs: 3_600_000 }), (one) => one.destroy());
    await sql`grant pg_monitor to parley_app`.execute(database); // as metrics.md says, for the lag of replicas
    await sql`create function fail_of_drill() returns trigger language plpgsql as
      $$ begin raise exception 'caused by the drill'; end $$`.execute(database);

    log('Creating tenants…');
    const tenants = await seedTenants(settings, { count: 3, siteUrl, receiverUrl: receiver.url });
    const demo = await seedDemo(settings, siteUrl, receiver.url);
    receiver.secrets = [demo.webhookSecret, ...tenants.map(({ webhookSecret = '' }) => webhookSecret)];

    log('Starting API, worker and portals…');
    const output = openSync(join(stack.dir, 'product.log'), 'a');
    const open = async (url = '') => until(await openProxy(url), (one) => one.close());
    /** A network for each process. */
    const networkOf = async () => ({
      postgresql: await open(settings['DATABASE_URL']),
      valkey: await open(settings['VALKEY_URL']),
      restate: await open(settings['RESTATE_INGRESS_URL']),
    });
    const network = {
      api: await networkOf(),
      worker: { ...(await networkOf()), restateAdmin: await open(settings['RESTATE_ADMIN_URL']) },
      portal: { api: await open(apiUrl) },
    };
    const metricsPorts = {
      api: await freePort(),
      worker: await freePort(),
      portal: await freePort(),
      admin: await freePort(),
    };
    const settingsOf = (role: 'api' | 'worker') => ({
      ...settings,
      DATABASE_URL: network[role].postgresql.url,
      VALKEY_URL: network[role].valkey.url,
      RESTATE_INGRESS_URL: network[role].restate.url,
      METRICS_PORT: String(metricsPorts[role]),
    });
    const portalOf = (role: 'portal' | 'admin', url: string, api: string) => ({
      ...portalSettings(role, stack.dir, url, api),
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_PORT: String(metricsPorts[role]),
      METRICS_TOKEN: metricsToken,
    });
    const run = async (options: Omit<Parameters<typeof runProcess>[0], 'output'>) =>
      until(await runProcess({ ...options, output }), (one) => one.stop());
    const api = await run({ entry: built.api, settings: settingsOf('api'), readyUrl: `${apiUrl}/health/ready` });
    const worker = await run({
      entry: built.worker,
      settings: { ...settingsOf('worker'), RESTATE_ADMIN_URL: network.worker.restateAdmin.url },
      readyUrl: `http://127.0.0.1:${metricsPorts.worker}/health/ready`,
    });
    const portal = await run({
      entry: 'apps/portal/src/server.ts',
      settings: { ...portalOf('portal', portalUrl, network.portal.api.url), PUBLIC_API_URL: apiUrl },
      readyUrl: `${portalUrl}/health/ready`,
    });
    const admin = await run({
      entry: 'apps/admin/src/server.ts',
      settings: { ...portalOf('admin', front.url, apiUrl), PORT: String(adminPort) },
      readyUrl: `http://localhost:${adminPort}/health/ready`,
    });
    return {
      dir: stack.dir,
      servers: { postgres, valkey, restate },
      processes: { api, worker, portal, admin },
      network,
      metricsPorts,
      /** As superuser. */
      database,
      databaseUrl: databaseUrl(stack),
      settings,
      model,
      receiver,
      mail: {
        stop: () => mail.stop(),
        start: async () => void (mail = await startMail()),
        refuseWith: (response: string | undefined) => void (refuse = () => response),
      },
      front,
      /** Undefined if this machine can't mount one. */
      disk,
      target: { apiUrl, portalUrl, siteUrl, tenants, metrics: {} },
      demo,
      /** Called before the product stops. */
      onStop: (end: () => unknown) => void started.push(end),
    };
  }
  const product = await start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { ...product, stop };
}
export type Product = Awaited<ReturnType<typeof startProduct>>;
