import { rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { timerHandlers } from '../../src/features/durable.ts';
import { connect } from '../../src/platform/db.ts';
import { connectRestate } from '../../src/platform/restate-client.ts';
import { startSweeper } from '../../src/platform/sweeper.ts';
import { waitUntilRegistered } from '../chat/fixture.ts';
import { startChild, type Child } from '../faults/child.ts';
import { startOwnDatabase } from '../faults/own-database.ts';
import { api, services, settings, ownDir } from '../harness.ts';
import { aBotThatActs, effects, rejectingActions } from './fault-bot.ts';
import { aTenantSystem } from './stub.ts';

/** A TCP proxy in front of the tenant's backend. While it blocks, new connections are accepted but not forwarded. */
async function openProxy(port: number) {
  const blocked = new Set<Socket>();
  let isBlocking = false;
  const forward = (from: Socket) => {
    const to = connectSocket(port, '127.0.0.1');
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.pipe(to).pipe(from);
  };
  const server = createServer((from) => {
    if (!isBlocking) return forward(from);
    from.on('error', () => {}).on('close', () => blocked.delete(from));
    blocked.add(from);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    port: (server.address() as AddressInfo).port,
    block: () => (isBlocking = true),
    /** Drops the blocked connections, which have received nothing. */
    open: () => {
      isBlocking = false;
      for (const socket of blocked) socket.destroy();
    },
    close: () => server.close(),
  };
}

/** All components that runs depend on, each of which can be killed, and the tenant's backend, which cannot. */
export async function aFaultStack(name: string, timeoutMs: number) {
  const dir = ownDir(`faults-${name}-restate`);
  const restate = await startRestate(dir, { partitions: 4 });
  const database = await startOwnDatabase(name);
  const receiver = await startReceiver({ keep: 0 });
  const proxy = await openProxy(Number(new URL(receiver.url).port));
  const tenantSystem = aTenantSystem(receiver, { effects, rejectingActions, timeoutMs });
  const caFile = join(dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const root = connect(database.urlAs('postgres'), { max: 4 });
  const db = connect(database.urlAs('parley_app'), { max: 2 });
  const ownServices = { ...services, db, wakeRelay: () => {}, notify: () => {} };
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const common = settings({
    LOG_LEVEL: 'info',
    DATABASE_URL: database.urlAs('parley_app'),
    DATABASE_POOL_SIZE: '20',
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_IDENTITY_KEYS: restate.identityKey,
    WORKER_PORT: String(workerPort),
    PORT: String(apiPort),
    TRUSTED_PROXIES: '127.0.0.1',
    EGRESS_TENANT_OPEN_HOSTS: `localhost:${proxy.port}`,
    EGRESS_CA_FILE: caFile,
  });
  const scripts = { api: 'src/api.ts', worker: 'src/worker.ts' };
  const children: Record<'api' | 'worker', Child> = {
    api: startChild(scripts.api, common),
    worker: startChild(scripts.worker, common),
  };
  let sweeper: ReturnType<typeof startSweeper> | undefined;
  afterAll(async () => {
    for (const child of Object.values(children)) child.signal('SIGKILL');
    await sweeper?.stop();
    proxy.close();
    await receiver.stop();
    await restate.kill();
    await Promise.all([root.destroy(), db.destroy()]);
    await database.remove();
    rmSync(dir, { recursive: true, force: true });
  });
  const bot = await aBotThatActs(ownServices, `https://localhost:${proxy.port}/actions`, timeoutMs);
  receiver.secrets.push(bot.secret);
  const areReady = () => Promise.all(Object.values(children).map(({ ready }) => ready));
  await areReady();
  await waitUntilRegistered(restate.adminUrl);
  // Like the worker's own sweeper, but without the grace period of two minutes.
  sweeper = startSweeper({
    services: ownServices,
    handlers: timerHandlers(ownServices, connectRestate(restate.ingressUrl), api.platform.externalStores),
    log: api.platform.log,
    everyMs: 5_000,
    graceSeconds: 5,
  });

  /** Kills components without a clean shutdown. `starting` restarts them and waits until they are ready. */
  const killing = {
    worker: () => {
      children.worker.signal('SIGKILL');
      return children.worker.ended;
    },
    api: () => {
      children.api.signal('SIGKILL');
      return children.api.ended;
    },
    restate: () => restate.kill(),
    postgres: async () => {
      process.kill(database.postgres.pid() ?? 0, 'SIGQUIT'); // immediate shutdown
      await database.postgres.stop();
    },
  };
  const starting = {
    worker: () => (children.worker = startChild(scripts.worker, common)).ready,
    api: () => (children.api = startChild(scripts.api, common)).ready,
    restate: () => restate.start(),
    postgres: () => database.postgres.start(),
  };

  /** Deletes all data of Restate, so that only the database is left. Makes timers due instead of waiting for them. */
  async function wipe() {
    await Promise.all([killing.worker(), killing.restate()]);
    rmSync(join(dir, 'restate-data'), { recursive: true });
    await starting.restate();
    await starting.worker();
    await waitUntilRegistered(restate.adminUrl);
    await sql`update directory.timers set due_at = now() - interval '10 seconds'
      where kind in ('turn', 'action-run') and due_at < now() + interval '2 minutes'`.execute(root);
  }
  const terminateConnections = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'parley_app'`.execute(root);

  const apiUrl = `http://127.0.0.1:${apiPort}`;
  return {
    apiUrl,
    bot,
    root,
    proxy,
    tenantSystem,
    children,
    restate,
    killing,
    starting,
    wipe,
    terminateConnections,
    areReady,
  };
}
export type FaultStack = Awaited<ReturnType<typeof aFaultStack>>;
export type Component = keyof FaultStack['killing'];
