import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, expect, inject } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { freePort, startPostgres, startRestate, startValkey } from '../../../../tools/stack/index.ts';
import { accountFor } from '../../../../tools/stack/processes.ts';
import { createRoles } from '../../src/migrate.ts';
import { connect } from '../../src/platform/db.ts';
import { ownDir, services, settings } from '../harness.ts';
import { builtDir, startChild, type Child } from './child.ts';

const scripts = resolve(import.meta.dirname, '../../../../deploy/backup');
const run = promisify(execFile);

/** A deployment with backups: PostgreSQL that archives with `deploy/backup`, and its own Restate, Valkey, API and worker. */
export async function aRestoreStack() {
  const dir = ownDir('restore');
  const account = accountFor('postgres');
  const folder = (name: string) => {
    const path = join(dir, name);
    mkdirSync(path, { recursive: true });
    if (account.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid);
    return path;
  };
  const data = folder('postgres');
  const passphraseFile = join(folder('backups'), 'passphrase');
  writeFileSync(passphraseFile, 'correct horse battery staple\n', { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(passphraseFile, account.uid, account.gid);
  const env = {
    BACKUP_PASSPHRASE_FILE: passphraseFile,
    PGBACKREST_CONFIG: join(scripts, 'pgbackrest.conf'),
    PGBACKREST_REPO1_PATH: folder('backups/repository'),
    PGBACKREST_SPOOL_PATH: folder('backups/spool'),
    PGBACKREST_LOCK_PATH: folder('backups/locks'),
    PGBACKREST_PG1_PATH: join(data, 'pgdata'),
    PGBACKREST_PG1_SOCKET_PATH: data,
    PGBACKREST_PG1_USER: 'postgres',
  };
  const archiveCommand = `archive_command=${scripts}/pgbackrest --stanza=parley archive-push %p`;
  const [restate, valkey, postgres, receiver] = await Promise.all([
    startRestate(join(dir, 'restate'), { partitions: 4 }),
    startValkey(join(dir, 'valkey')),
    startPostgres(data, { durable: true, more: ['archive_mode=on', archiveCommand, 'wal_level=replica'], env }),
    startReceiver({ keep: 1_000_000 }),
  ]);
  const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;
  const cluster = connect(postgres.adminUrl, { max: 1, connectMs: 60_000 });
  await createRoles(cluster);
  await sql`create database parley owner parley_owner`.execute(cluster);
  await cluster.destroy();

  const caFile = join(dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const processSettings = settings({
    LOG_LEVEL: 'info',
    DATABASE_URL: urlAs('parley_app'),
    DATABASE_POOL_SIZE: '20',
    VALKEY_URL: valkey.url,
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_IDENTITY_KEYS: restate.identityKey,
    PORT: String(apiPort),
    WORKER_PORT: String(workerPort),
    TRUSTED_PROXIES: '127.0.0.1',
    EGRESS_TENANT_OPEN_HOSTS: receiver.host,
    EGRESS_CA_FILE: caFile,
  });
  let children: Child[] = [];

  /** A script of `deploy/backup`, as the account of PostgreSQL. */
  const runScript = async (name: string, ...args: string[]) => {
    const more = { PGBACKREST_PG1_PORT: String(postgres.port), PATH: process.env['PATH'] };
    return (await run(join(scripts, name), args, { ...account, cwd: data, env: { ...env, ...more } })).stdout;
  };
  const runCli = async (...args: string[]) => {
    const cliEnv = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'),
      DATABASE_URL: urlAs('parley_owner'),
      RESTATE_ADMIN_URL: restate.adminUrl,
    };
    return (await run(process.execPath, [join(builtDir(), 'cli.js'), ...args], { env: cliEnv })).stdout;
  };
  const open = () => {
    const [root, db] = [
      connect(urlAs('postgres'), { max: 4, queryMs: 3_600_000 }),
      connect(urlAs('parley_app'), { max: 4 }),
    ];
    return { root, services: { ...services, db, wakeRelay: () => {}, notify: () => {} } };
  };

  afterAll(async () => {
    for (const child of children) child.signal('SIGKILL');
    await Promise.all([receiver.stop(), restate.kill(), valkey.kill()]);
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    receiver,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    open,
    runCli,
    backup: (type: 'full' | 'incr') => runScript('backup', type),
    drill: () => runScript('drill', data),
    startServers: async () => {
      children = [startChild('src/worker.ts', processSettings), startChild('src/api.ts', processSettings)];
      await Promise.all(children.map((child) => child.ready));
    },
    killServers: async () => {
      for (const child of children) child.signal('SIGKILL');
      await Promise.all(children.map((child) => child.ended));
    },
    /** PostgreSQL back to this moment, Restate and Valkey without their data. */
    restore: async (to: string) => {
      await postgres.stop();
      rmSync(join(data, 'pgdata/postmaster.pid'), { force: true }); // if it took too long and was killed
      await runScript('restore', '--to', to);
      await Promise.all([restate.kill(), valkey.kill()]);
      rmSync(join(dir, 'restate/restate-data'), { recursive: true });
      await Promise.all([postgres.start(), restate.start(), valkey.start()]);
      const probe = connect(urlAs('postgres'), { max: 1 });
      const isRecovering = async () =>
        (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(probe)).rows[0]?.is;
      await expect.poll(isRecovering, { timeout: 300_000, interval: 50 }).toBe(false);
      await probe.destroy();
    },
    logs: () => children.flatMap(({ lines }) => lines.slice(-20)).join('\n'),
  };
}
