import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createRestateKey, restatePublicKey } from '../../apps/server/src/setup/restate-identity.ts';
import { freePort, runServer, type Server } from './processes.ts';

export interface Restate extends Server {
  ingressUrl: string;
  adminUrl: string;
  /** Its own metrics. */
  metricsUrl: string;
  /** The worker accepts only calls that this key signed. */
  identityKey: string;
}

export async function startRestate(dir: string, { partitions }: { partitions: number }): Promise<Restate> {
  return startNode(dir, { partitions, name: 'node-1', port: await freePort() });
}

/** Three nodes with two replicas: any one may fail. The second starts with the first, which waits for it. */
export async function startRestateCluster(dir: string, { partitions }: { partitions: number }): Promise<Restate[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const urls = JSON.stringify(ports.map((port) => `http://127.0.0.1:${port}`));
  identity(dir); // shared by all nodes
  return Promise.all(
    ports.map((port, n) =>
      startNode(dir, {
        partitions,
        name: `node-${n + 1}`,
        port,
        env: {
          RESTATE_METADATA_CLIENT__ADDRESSES: urls,
          RESTATE_DEFAULT_REPLICATION: '2',
          RESTATE_AUTO_PROVISION: String(n === 0),
        },
      }),
    ),
  );
}

interface NodeOptions {
  partitions: number;
  name: string;
  port: number;
  env?: Record<string, string>;
}

async function startNode(dir: string, { partitions, name, port, env = {} }: NodeOptions): Promise<Restate> {
  const require = createRequire(import.meta.url);
  const binary = require.resolve(`@restatedev/restate-server-linux-${process.arch}/bin/restate-server`);
  const [ingress, admin] = await Promise.all([freePort(), freePort()]);
  const { pemFile, publicKey } = identity(dir);
  const server = await runServer({
    name: `restate-${name}`,
    dir,
    command: binary,
    args: ['--no-logo'],
    env: {
      RESTATE_BASE_DIR: join(dir, 'restate-data'),
      RESTATE_CLUSTER_NAME: 'parley',
      RESTATE_NODE_NAME: name,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_ADDRESS: `127.0.0.1:${port}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${port}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: pemFile,
      RESTATE_DEFAULT_NUM_PARTITIONS: String(partitions),
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MiB',
      RESTATE_DISABLE_TELEMETRY: 'true',
      DO_NOT_TRACK: '1',
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
      ...env,
    },
    isReady: async () => {
      const responses = await Promise.all([
        fetch(`http://127.0.0.1:${admin}/health`),
        fetch(`http://127.0.0.1:${ingress}/restate/health`),
      ]);
      return responses.every((response) => response.ok);
    },
  });
  return {
    ...server,
    ingressUrl: `http://127.0.0.1:${ingress}`,
    adminUrl: `http://127.0.0.1:${admin}`,
    metricsUrl: `http://127.0.0.1:${port}/metrics`,
    identityKey: publicKey,
  };
}

/** Kept with the data, and shared by all nodes. */
function identity(dir: string) {
  mkdirSync(dir, { recursive: true });
  const pemFile = join(dir, 'restate-identity.pem');
  if (!existsSync(pemFile)) writeFileSync(pemFile, createRestateKey(), { mode: 0o600 });
  return { pemFile, publicKey: restatePublicKey(readFileSync(pemFile, 'utf8')) };
}
