import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, expect, inject } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { freePort, startPostgres, startRestate } from '../../../../tools/stack/index.ts';
import { createRoles } from '../../src/migrate.ts';
import { connect } from '../../src/platform/db.ts';
import { openDeployments } from '../../src/platform/deployments.ts';
import { ownDir, services, settings } from '../harness.ts';
import { aSite } from '../knowledge-site.ts';
import { startChild, type Child } from './child.ts';
import { buildVersions, versions, type Version } from './upgrade-versions.ts';

/** The load balancer in front of the API: new connections go to the version that is switched on. */
async function openBalancer() {
  let target = 0;
  const server = createServer((from) => {
    const to = connectSocket(target, '127.0.0.1');
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    switchTo: (port: number) => (target = port),
    close: () => server.close(),
  };
}

/** The commands of a section of the runbook, in order. */
export function runbookSteps(section: string): string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../../../docs/runbooks/upgrade.md'), 'utf8');
  const [, body = ''] = text.split(`\n## ${section}\n`);
  const [, block = ''] = body.split('```sh\n');
  const steps = block.split('\n```')[0]?.split('\n') ?? [];
  expect(steps.length, `steps of "${section}"`).toBeGreaterThan(5);
  return steps;
}

/** Two versions on one PostgreSQL, one Valkey and one Restate, and the servers that they call. */
export async function anUpgradeStack() {
  const dir = ownDir('upgrade');
  const [restate, postgres, { commit, folders, remove }] = await Promise.all([
    startRestate(join(dir, 'restate'), { partitions: 4 }),
    startPostgres(join(dir, 'postgres'), { durable: true }),
    buildVersions(dir),
  ]);
  const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;
  const cluster = connect(postgres.adminUrl, { max: 1, connectMs: 60_000 });
  await createRoles(cluster);
  await sql`create database parley owner parley_owner`.execute(cluster);
  await cluster.destroy();
  const [site, receiver, balancer] = await Promise.all([aSite(), startReceiver({ keep: 1_000_000 }), openBalancer()]);
  const caFile = join(dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);

  const ports = Object.fromEntries(
    await Promise.all(versions.map(async (version) => [version, [await freePort(), await freePort()]])),
  ) as Record<Version, [api: number, worker: number]>;
  const settingsOf = (version: Version) =>
    settings({
      LOG_LEVEL: 'info',
      DATABASE_URL: urlAs('parley_app'),
      DATABASE_POOL_SIZE: '20',
      RESTATE_INGRESS_URL: restate.ingressUrl,
      RESTATE_ADMIN_URL: restate.adminUrl,
      RESTATE_IDENTITY_KEYS: restate.identityKey,
      PORT: String(ports[version][0]),
      WORKER_PORT: String(ports[version][1]),
      TRUSTED_PROXIES: '127.0.0.1',
      EGRESS_TENANT_OPEN_HOSTS: [site.host, receiver.host].join(','),
      EGRESS_CA_FILE: caFile,
    });

  const children = new Map<string, Child>();
  const units = {
    start: async (role: 'api' | 'worker', version: Version) => {
      const child = startChild(`src/${role}.ts`, settingsOf(version), folders[version]);
      children.set(`${role}@${version}`, child);
      await child.ready;
      if (role === 'api') balancer.switchTo(ports[version][0]);
    },
    stop: async (role: string, version: string) => {
      const child = children.get(`${role}@${version}`);
      child?.signal('SIGTERM');
      expect(await child?.ended, child?.lines.slice(-30).join('\n')).toEqual({ code: 0, signal: null });
    },
    kill: async (role: string, version: Version) => {
      const child = children.get(`${role}@${version}`);
      child?.signal('SIGKILL');
      await child?.ended;
    },
  };
  const runCli = (version: Version, args: string[]) =>
    promisify(execFile)(process.execPath, [join(folders[version], 'cli.js'), ...args], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'),
        DATABASE_URL: urlAs('parley_owner'),
        RESTATE_ADMIN_URL: restate.adminUrl,
      },
    });

  /** Runs one line of the runbook. `NEW` is always the current release: its commands are used. */
  async function runStep(line: string): Promise<void> {
    const [command = '', ...args] = line.replace('$OLD', versions[0]).replace('$NEW', versions[1]).split(' ');
    if (command === 'parley-server') return void (await runCli(versions[1], args));
    const [action, unit = ''] = args;
    const [, role, version] = /^parley-(api|worker)@(.+)$/.exec(unit) ?? [];
    if (command !== 'systemctl' || !(action === 'start' || action === 'stop') || !role || !version)
      throw new Error(`the runbook has an unknown step: ${line}`);
    await units[action](role as 'api' | 'worker', version as Version);
  }

  const root = connect(urlAs('postgres'), { max: 4 });
  const db = connect(urlAs('parley_app'), { max: 4 });
  afterAll(async () => {
    for (const child of children.values()) child.signal('SIGKILL');
    balancer.close();
    site.close();
    await Promise.all([receiver.stop(), restate.kill(), root.destroy(), db.destroy()]);
    await postgres.stop();
    remove();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    commit,
    apiUrl: balancer.url,
    site,
    receiver,
    root,
    services: { ...services, db, wakeRelay: () => {}, notify: () => {} },
    deployments: openDeployments(restate.adminUrl),
    runCli,
    runStep,
    units,
    /** Log lines of all processes that say this. */
    linesWith: (text: string) =>
      [...children.values()].flatMap(({ lines }) => lines.filter((line) => line.includes(text))),
  };
}
export type UpgradeStack = Awaited<ReturnType<typeof anUpgradeStack>>;
