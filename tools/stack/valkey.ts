import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { findProgram, freePort, runServer, type Server } from './processes.ts';

export interface Valkey extends Server {
  url: string;
}

/** Keeps nothing on disk: Parley must survive its loss at any moment, so development tests that too. */
export async function startValkey(dir: string): Promise<Valkey> {
  const advice = 'Install Valkey or Redis 7 or newer (Debian: apt-get install redis-server).';
  const command = findProgram(['valkey-server', 'redis-server'], advice);
  mkdirSync(dir, { recursive: true });
  const port = await freePort();
  const server = await runServer({
    name: 'valkey',
    dir,
    command,
    args: ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', dir],
    isReady: () => respondsToPing(port),
  });
  return { ...server, url: `redis://127.0.0.1:${port}` };
}

function respondsToPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (reply) => done(reply.toString().startsWith('+PONG')));
    socket.once('error', () => done(false));
    socket.setTimeout(1_000, () => done(false));
  });
}
