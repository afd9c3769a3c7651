import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { createServer, type Server as NetServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Below the ports that the system assigns to outgoing connections: 32768 and up on Linux. */
const blocks = { firstPort: 10_000, count: 440, size: 50 };

async function listenAt(port: number): Promise<NetServer | undefined> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  return isListening ? server : undefined;
}

/** Reserves a block of ports for as long as this process runs, by listening at the first of them. */
async function reserveBlock(): Promise<number> {
  const start = randomInt(blocks.count);
  for (let n = 0; n < blocks.count; n++) {
    const first = blocks.firstPort + ((start + n) % blocks.count) * blocks.size;
    const holder = await listenAt(first);
    if (!holder) continue;
    holder.unref();
    return first;
  }
  throw new Error('All ports are reserved by other processes');
}

async function* freePorts(): AsyncGenerator<number, never> {
  for (;;) {
    const first = await reserveBlock();
    for (let port = first + 1; port < first + blocks.size; port++) {
      const server = await listenAt(port);
      if (!server) continue;
      await new Promise((resolve) => server.close(resolve));
      yield port;
    }
  }
}
const ports = freePorts();

/** A free port that is not given out again while this process runs, here or in another one: it may be bound much later. */
export async function freePort(): Promise<number> {
  return (await ports.next()).value;
}

/** The first of these programs that is installed, also outside PATH, where Debian installs PostgreSQL's. */
export function findProgram(names: readonly string[], advice: string): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  for (const name of names) {
    for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error(`Found none of ${names.join(', ')}. ${advice}`);
}

/** PostgreSQL refuses to run as root, so it runs under its own account then. */
export function accountFor(name: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export interface Server {
  pid(): number | undefined;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
  /** kill -9, like a power cut. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

interface ServerOptions {
  name: string;
  dir: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  account?: { uid?: number; gid?: number };
  stopSignal?: NodeJS.Signals;
  isReady: () => Promise<boolean>;
}

/** A server process that can be stopped, killed and started again on the same data and port. */
export async function runServer(options: ServerOptions): Promise<Server> {
  let child: ChildProcess | undefined;
  const logFile = join(options.dir, `${options.name}.log`);

  const start = async () => {
    mkdirSync(options.dir, { recursive: true });
    const log = openSync(logFile, 'a');
    const started = spawn(options.command, options.args, {
      cwd: options.dir,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', log, log],
      detached: true, // Ctrl-C is handled by the parent, which then stops us in order
      ...options.account,
    });
    child = started;
    for (let waited = 0; waited < 30_000; waited += 25) {
      if (started.exitCode !== null || started.signalCode) {
        const lastLines = readFileSync(logFile, 'utf8').slice(-1_000);
        throw new Error(`${options.name} ended while starting. The end of ${logFile}:\n${lastLines}`);
      }
      if (await options.isReady().catch(() => false)) return;
      await sleep(25);
    }
    throw new Error(`${options.name} was not ready within 30 s. Read ${logFile}`);
  };

  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode) return;
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
    running.kill(signal);
    // All servers survive a kill, and stopping should not take long.
    const killTimer = setTimeout(() => running.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(killTimer);
  };

  await start();
  return {
    pid: () => child?.pid,
    stop: () => end(options.stopSignal ?? 'SIGTERM'),
    kill: () => end('SIGKILL'),
    start,
  };
}
