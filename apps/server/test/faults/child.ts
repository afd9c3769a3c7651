import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const server = resolve(import.meta.dirname, '../..');
/** Starting is most of what a test of kills does: code that was compiled before makes it half as long. */
const keepCompiled = join(import.meta.dirname, 'keep-compiled.ts');
const compiled = join(tmpdir(), 'parley-compiled');
const running = new Set<Child>();
process.on('exit', () => running.forEach((child) => child.signal('SIGKILL')));

interface LogLine {
  level: number;
  msg: string;
  url?: string;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  /** Resolves with what it said when it was ready. */
  ready: Promise<LogLine>;
  ended: Promise<Ending>;
  isAlive(): boolean;
  /** Says whether it still ran, so that a kill that hit nothing is not counted. */
  signal(signal: NodeJS.Signals): boolean;
  /** Its log, for a test that fails. */
  lines: string[];
}

/** A real process of this server, or a script of a test, by its path below apps/server. It logs that it `is ready`. */
export function startChild(script: string, env: Record<string, string>): Child {
  const spawned = spawn(process.execPath, ['--import', keepCompiled, join(server, script)], {
    cwd: server,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const isAlive = () => spawned.exitCode === null && spawned.signalCode === null;
  const lines: string[] = [];
  const ended = new Promise<Ending>((done) => {
    spawned.once('exit', (code, signal) => {
      running.delete(child);
      done({ code, signal });
    });
  });
  createInterface(spawned.stderr).on('line', (line) => lines.push(line));
  const ready = new Promise<LogLine>((begin, fail) => {
    createInterface(spawned.stdout).on('line', (line) => {
      lines.push(line);
      if (line.includes('is ready"')) begin(JSON.parse(line) as LogLine);
    });
    void ended.then(({ code, signal }) => fail(new Error(`${script} ended (${code ?? signal}):\n${lines.join('\n')}`)));
  });
  ready.catch(() => {}); // whoever waits for it hears it; nobody has to wait
  const child: Child = { ready, ended, isAlive, signal: (name) => isAlive() && spawned.kill(name), lines };
  running.add(child);
  return child;
}
