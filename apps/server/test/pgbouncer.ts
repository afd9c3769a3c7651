import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { repository } from '../../../tools/demo/processes.ts';
import { freePort } from '../../../tools/stack/index.ts';
import { accountFor, findProgram, runServer, type Server } from '../../../tools/stack/processes.ts';

export interface PgBouncer extends Server {
  /** The URL of the same database through PgBouncer. */
  through(url: string): string;
}

/** Starts PgBouncer with the sample configuration in front of this PostgreSQL. The server needs transaction mode. */
export async function startPgBouncer(
  dir: string,
  postgresUrl: string,
  { poolSize, mode = 'transaction' }: { poolSize: number; mode?: 'transaction' | 'statement' },
): Promise<PgBouncer> {
  const { hostname, port: postgresPort } = new URL(postgresUrl);
  const debian = '/usr/sbin/pgbouncer'; // often not on PATH
  const advice = 'Install PgBouncer (Debian: apt-get install pgbouncer).';
  const command = existsSync(debian) ? debian : findProgram(['pgbouncer'], advice);
  const account = accountFor('postgres'); // it does not run as root
  const port = await freePort();
  const [settings, users] = [join(dir, 'pgbouncer.ini'), join(dir, 'users.txt')];
  mkdirSync(dir, { recursive: true });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(dir, account.uid, account.gid);
  writeFileSync(users, ['parley_app', 'parley_owner', 'postgres'].map((name) => `"${name}" ""\n`).join(''));
  const values: Record<string, string> = {
    listen_port: String(port),
    auth_type: 'trust',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: String(poolSize),
    query_wait_timeout: '120', // a busy machine must not cause errors
  };
  const text = readFileSync(join(repository, 'deploy/samples/pgbouncer/pgbouncer.ini'), 'utf8')
    .replace(/^parley = .*$/m, `* = host=${hostname} port=${postgresPort}`)
    .replaceAll(/^(\w+) = .*$/gm, (line, name: string) => (name in values ? `${name} = ${values[name]}` : line));
  writeFileSync(settings, text);
  const server = await runServer({
    name: 'pgbouncer',
    dir,
    command,
    args: [settings],
    account,
    isReady: () => listens(port),
  });
  return {
    ...server,
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
  };
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => done(true));
    const done = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('error', () => done(false));
  });
