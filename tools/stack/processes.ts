import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ports that only this process looks at, unless another's ID differs by a multiple of 220. */
const ownPorts = { first: 10_000 + (process.pid % 220) * 100, count: 100 };
let lastPort = randomInt(ownPorts.count);

/**
 * A free port, below those that the system assigns to outgoing connections (32768 and up on Linux): one of these could
 * take it before it is bound. So could another process that looks for one, so each has its own.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = (lastPort + 1) % ownPorts.count;
    const port = ownPorts.first + lastPort;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
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
