import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'iovalkey';
import { repository } from '../../../tools/demo/processes.ts';
import { findProgram, freePort, runServer, type Server } from '../../../tools/stack/processes.ts';

interface Node extends Server {
  port: number;
}

export interface SentinelStack {
  primary: Node;
  replica: Node;
  sentinels: Node[];
  /** The settings of an API that uses them. */
  settings: Record<string, string>;
  /** The port of the primary, as this Sentinel knows it. */
  primaryPortBy(sentinel: Node): Promise<number>;
  stop(): Promise<void>;
}

const samples = join(repository, 'deploy/samples/valkey');
const [password, sentinelPassword] = ['valkey-password', 'sentinel-password'];

/** A primary, a replica and three Sentinels with the sample configuration, on one machine and with short timeouts. */
export async function startSentinels(dir: string): Promise<SentinelStack> {
  const command = findProgram(
    ['valkey-server', 'redis-server'],
    'Install Valkey or Redis (apt-get install redis-server).',
  );
  const start = async (name: string, sample: string, edit: (text: string) => string): Promise<Node> => {
    const port = await freePort();
    const folder = join(dir, name);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, sample);
    const text = edit(readFileSync(join(samples, sample), 'utf8'))
      .replaceAll('CHANGE_ME_VALKEY', password)
      .replaceAll('CHANGE_ME_SENTINEL', sentinelPassword)
      .replace('bind 0.0.0.0', 'bind 127.0.0.1')
      .replace(/^port \d+$/m, `port ${port}`);
    writeFileSync(file, text, { mode: 0o600 });
    const args = sample === 'sentinel.conf' ? [file, '--sentinel'] : [file];
    const auth = sample === 'sentinel.conf' ? sentinelPassword : password;
    const server = await runServer({
      name,
      dir: folder,
      command,
      args,
      isReady: () => ask(port, auth, (client) => client.ping().then(() => true)),
    });
    return { ...server, port };
  };

  const primary = await start('valkey-1', 'valkey.conf', (text) => text);
  const replica = await start('valkey-2', 'valkey.conf', (text) =>
    text.replace('# replicaof valkey-1.internal 6379', `replicaof 127.0.0.1 ${primary.port}`),
  );
  const sentinels = await Promise.all(
    ['1', '2', '3'].map((n) =>
      start(`sentinel-${n}`, 'sentinel.conf', (text) =>
        text
          .replace('valkey-1.internal 6379', `127.0.0.1 ${primary.port}`)
          .replace('down-after-milliseconds mymaster 5000', 'down-after-milliseconds mymaster 500')
          .replace('failover-timeout mymaster 60000', 'failover-timeout mymaster 3000'),
      ),
    ),
  );
  return {
    primary,
    replica,
    sentinels,
    settings: {
      VALKEY_URL: `redis://:${password}@mymaster`,
      VALKEY_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(', '),
      VALKEY_SENTINEL_PASSWORD: sentinelPassword,
    },
    primaryPortBy: (sentinel) =>
      ask(sentinel.port, sentinelPassword, async (client) => {
        const reply = await client.call('sentinel', 'get-master-addr-by-name', 'mymaster');
        return Number((reply as string[])[1]);
      }),
    stop: async () => {
      await Promise.all([primary, replica, ...sentinels].map((server) => server.kill()));
    },
  };
}

/** Whether each Sentinel knows the replica and the other two, without which none starts a failover. */
export async function areComplete(sentinels: readonly Node[]): Promise<boolean> {
  const known = await Promise.all(
    sentinels.map(({ port }) =>
      ask(port, sentinelPassword, async (client) => {
        const reply = (await client.call('sentinel', 'master', 'mymaster')) as string[];
        const valueOf = (name: string) => reply[reply.indexOf(name) + 1];
        return valueOf('num-slaves') === '1' && valueOf('num-other-sentinels') === '2';
      }),
    ),
  );
  return known.every(Boolean);
}

async function ask<T>(port: number, auth: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, host: '127.0.0.1', password: auth, retryStrategy: () => null, lazyConnect: true });
  client.on('error', () => {}); // the command fails as well
  try {
    await client.connect();
    return await question(client);
  } finally {
    client.disconnect();
  }
}
