import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

const server = resolve(import.meta.dirname, '../..');
/** A killed process does not write its compile cache on exit, so it does so soon after its start. */
const flushCache = join(import.meta.dirname, 'keep-compiled.mjs');
const running = new Set<Child>();
process.on('exit', () => running.forEach((child) => child.signal('SIGKILL')));

interface LogLine {
  level: number;
  msg: string;
  url?: string;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  pid: number | undefined;
  /** Resolves with the log line that says it is ready. */
  ready: Promise<LogLine>;
  ended: Promise<Exit>;
  isAlive(): boolean;
  /** Returns whether it was still running, so that a kill that hit nothing is not counted. */
  signal(signal: NodeJS.Signals): boolean;
  /** Its log, for failure messages. */
  lines: string[];
}

/** The folder with the built scripts. The first test that starts one builds all of them, as source takes longer to load. */
export function builtDir(): string {
  const dir = inject('serverDir');
  const doneFile = join(dir, 'done');
  if (isFirst(dir)) {
    const { status, stderr } = spawnSync(process.execPath, ['test/faults/build.ts', dir], {
      cwd: server,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the server build failed: ${stderr}`);
    writeFileSync(doneFile, '');
  }
  for (let waitedMs = 0; !existsSync(doneFile); waitedMs += 50) {
    if (waitedMs > 60_000) throw new Error('the server build took more than a minute');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return dir;
}

function isFirst(dir: string): boolean {
  try {
    mkdirSync(`${dir}.lock`);
    return true;
  } catch {
    return false;
  }
}

/** A process of this server, or a test script, by its path below apps/server. It logs that it is `ready`. `dir`: another build. */
export function startChild(script: string, env: Record<string, string>, dir = builtDir()): Child {
  const file = join(dir, basename(script).replace(/\.ts$/, '.js'));
  const spawned = spawn(process.execPath, ['--import', flushCache, file], {
    cwd: server,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const isAlive = () => spawned.exitCode === null && spawned.signalCode === null;
  const lines: string[] = [];
  const ended = new Promise<Exit>((done) => {
    spawned.once('exit', (code, signal) => {
      running.delete(child);
      done({ code, signal });
    });
  });
  createInterface(spawned.stderr).on('line', (line) => lines.push(line));
  const ready = new Promise<LogLine>((resolve, fail) => {
    createInterface(spawned.stdout).on('line', (line) => {
      lines.push(line);
      if (line.includes(' ready"')) resolve(JSON.parse(line) as LogLine);
    });
    void ended.then(({ code, signal }) => fail(new Error(`${script} ended (${code ?? signal}):\n${lines.join('\n')}`)));
  });
  ready.catch(() => {}); // those who await it get the error; no one has to
  const child: Child = {
    pid: spawned.pid,
    ready,
    ended,
    isAlive,
    signal: (name) => isAlive() && spawned.kill(name),
    lines,
  };
  running.add(child);
  return child;
}
