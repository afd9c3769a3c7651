import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { accountFor, findProgram, freePort, runServer, type Server } from './processes.ts';

export interface Postgres extends Server {
  /** URL of the database `postgres` as superuser. */
  adminUrl: string;
  port: number;
}

/**
 * `durable: false` trades safety on power loss for speed: for tests that do not check data after a crash. `programs` is
 * the folder of another PostgreSQL than the machine's own, `more` are settings, and `env` is for what it runs.
 */
export async function startPostgres(
  dir: string,
  {
    durable,
    programs,
    more = [],
    env = {},
  }: { durable: boolean; programs?: string | undefined; more?: readonly string[]; env?: Record<string, string> },
): Promise<Postgres> {
  const advice = 'Install PostgreSQL 15 or newer (Debian: apt-get install postgresql).';
  const program = (name: string) => (programs ? join(programs, name) : findProgram([name], advice));
  const postgres = program('postgres');
  const account = accountFor('postgres');
  const data = join(dir, 'pgdata');
  if (!existsSync(data)) {
    mkdirSync(data, { recursive: true });
    if (account.uid !== undefined && account.gid !== undefined) {
      for (const folder of [dir, data]) chownSync(folder, account.uid, account.gid);
    }
    const flags = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
    const initialised = spawnSync(program('initdb'), [...flags, ...(durable ? [] : ['--no-sync'])], {
      ...account,
      cwd: dir,
      encoding: 'utf8',
    });
    if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.stderr || initialised.error?.message}`);
  }

  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${dir}`,
    'max_connections=300',
    'timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
    ...more,
  ];
  const server = await runServer({
    name: 'postgres',
    dir,
    command: postgres,
    args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    account,
    env,
    stopSignal: 'SIGINT', // "fast": ends sessions instead of waiting for them
    isReady: () => acceptsSessions(port),
  });
  return { ...server, port, adminUrl: `postgres://postgres@127.0.0.1:${port}/postgres` };
}

/**
 * An open port is not enough: during recovery PostgreSQL accepts connections and rejects them.
 * So this sends a startup message and waits for 'R', the authentication request.
 */
function acceptsSessions(port: number): Promise<boolean> {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const startup = Buffer.alloc(8 + parameters.length);
  startup.writeInt32BE(startup.length, 0);
  startup.writeInt32BE(196_608, 4); // protocol 3.0
  parameters.copy(startup, 8);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(startup));
    const done = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (reply) => done(reply[0] === 0x52));
    socket.once('error', () => done(false));
    socket.setTimeout(1_000, () => done(false));
  });
}
