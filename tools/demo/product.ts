import { randomBytes } from 'node:crypto';
import { startMailCatcher } from '../mail/index.ts';
import { startModelServer } from '../model/index.ts';
import { startReceiver } from '../receiver/index.ts';
import { clientsAt, startSignInExample } from '../sign-in/index.ts';
import { startSite } from '../site/index.ts';
import { freePort, startStack } from '../stack/index.ts';
import { buildDocs } from './docs.ts';
import { buildPortal, portalClient, portalSettings } from './portal.ts';
import { runEntry, waitFor } from './processes.ts';
import { seedHistory } from './history/index.ts';
import { seedDemo } from './seed.ts';
import { prepare } from './settings.ts';

interface ProductOptions {
  /** The folder of the data under `.stack`. */
  name: string;
  /** Keeps the data for the next start. */
  keep: boolean;
  /** Restarts what changes, on fixed ports. */
  watch?: boolean;
  isBuilt?: boolean;
  /** Gives the tenant three weeks of conversations, deliveries and audit entries. */
  hasHistory?: boolean;
  log?: (line: string) => void;
  /** Called when the API, the worker or a portal exits unexpectedly. */
  onEnd?: (code: number | null) => void;
}

/** The whole product on real servers, with a tenant to try it: for the demo, and for end-to-end tests. */
export async function startProduct({
  name,
  keep,
  watch = false,
  isBuilt = false,
  hasHistory = false,
  log = () => {},
  onEnd = () => {},
}: ProductOptions) {
  /** What was started, to be stopped in reverse order. */
  const started: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      for (const end of started.toReversed()) await end();
    })());
  const run = (entry: string, settings: Record<string, string>, options: { watch?: boolean; args?: string[] } = {}) => {
    const child = runEntry(entry, settings, options);
    started.push(child.stop);
    void child.ended.then((code) => stopping ?? onEnd(code));
    return child;
  };

  async function start() {
    if (!isBuilt) {
      log('Building the widget…');
      if ((await runEntry('packages/widget/build.ts', {}).ended) !== 0) throw new Error('widget build failed');
    }
    if (!isBuilt) {
      log(watch ? 'Building the docs…' : 'Building the portals and docs…');
      const portals = watch ? [] : (['portal', 'admin'] as const);
      await Promise.all([...portals.map(buildPortal), buildDocs()]);
    }
    log('Starting PostgreSQL, Valkey and Restate…');
    const stack = await startStack(name, { keep });
    started.push(stack.stop);
    log('Preparing the database…');
    const mail = await startMailCatcher();
    started.push(mail.stop);
    const example = { port: await freePort(), clientSecret: randomBytes(32).toString('base64url') };
    const model = await startModelServer();
    started.push(model.close);
    const receiver = await startReceiver({ keep: 1_000 });
    started.push(receiver.stop);
    const sitePort = await freePort();
    const portalUrl = `http://localhost:${watch ? 3100 : await freePort()}`;
    const adminUrl = `http://localhost:${watch ? 3101 : await freePort()}`;
    const settings = await prepare(stack, {
      portalUrl,
      adminUrl,
      model,
      receiver,
      openHosts: [`localhost:${sitePort}`],
      smtpUrl: mail.smtpUrl,
      clients: [
        ...clientsAt(`http://localhost:${example.port}`, example.clientSecret),
        portalClient('portal', portalUrl),
        portalClient('admin', adminUrl),
      ],
      ...(watch && { api: 3000 }),
    });
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const signIn = await startSignInExample({ ...example, apiUrl });
    started.push(signIn.stop);

    log('Starting the API, worker and portals…');
    const runServer = (entry: 'api' | 'worker') =>
      run(isBuilt ? `apps/server/dist/${entry}.js` : `apps/server/src/${entry}.ts`, settings, { watch });
    runServer('api');
    const siteUrl = `http://localhost:${sitePort}`;
    const databaseUrl = Object.assign(new URL(stack.postgres.adminUrl), { pathname: 'parley' }).href;
    // The worker would process what past days left open, so it starts after the history.
    const seeding = hasHistory
      ? seedHistory({ ...settings, SITE_URL: siteUrl, RECEIVER_URL: receiver.url, ADMIN_DATABASE_URL: databaseUrl })
      : seedDemo(settings, siteUrl, receiver.url);
    if (!hasHistory) runServer('worker');
    // React's development mode renders pages several times slower, and is the default without this.
    const mode: Record<string, string> = watch ? {} : { NODE_ENV: 'production' };
    const portal = { ...portalSettings('portal', stack.dir, portalUrl, apiUrl), ...mode };
    const admin = { ...portalSettings('admin', stack.dir, adminUrl, apiUrl), ...mode };
    const args = watch ? ['--watch'] : [];
    run('apps/portal/src/server.ts', portal, { args });
    run('apps/admin/src/server.ts', admin, { args });
    const docsPort = String(watch ? 3200 : await freePort());
    const docsUrl = `http://localhost:${docsPort}`;
    run('apps/docs/serve.ts', {}, { args: ['--port', docsPort] });
    const urls = [`${apiUrl}/health/ready`, `${portalUrl}/health/live`, `${adminUrl}/health/live`, docsUrl];
    const [seeded] = await Promise.all([seeding, ...urls.map((url) => waitFor(url))]);
    if (hasHistory) runServer('worker');
    receiver.secrets = [seeded.webhookSecret];
    const cdnUrl = `${apiUrl}/cdn`;
    const { publicKey, botId, modelBot } = seeded;
    const site = await startSite({ port: sitePort, apiUrl, cdnUrl, publicKey, botId, modelBot, identify: seeded });
    started.push(site.stop);
    return {
      /** What is needed to try it. */
      demo: {
        apiUrl,
        portalUrl,
        adminUrl,
        cdnUrl,
        docsUrl,
        referenceUrl: `${apiUrl}/docs`,
        mailUrl: mail.mailUrl,
        signInUrl: signIn.url,
        siteUrl: site.url,
        receiverUrl: receiver.url,
        ...seeded,
      },
      settings,
      portal,
      /** A superuser of the database, to insert test data. */
      databaseUrl,
      stop,
    };
  }
  return start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
}
