import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

const server = resolve(import.meta.dirname, '../..');
/** What tests start beside the server's own entry points. */
const moreEntries = [
  ...['events-api', 'events-relay', 'emails-mailer'].map((name) => `test/faults/${name}.ts`),
  'test/rules/event-loop-child.ts',
];
/** A process that is killed keeps no compiled code, so it does that soon after its start. */
const keepCompiled = join(import.meta.dirname, 'keep-compiled.mjs');
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

/** A script as it was built. All are built once a run, by the first test that starts one: source takes longer to load. */
function builtFile(script: string): string {
  const dir = inject('serverDir');
  const isDone = join(dir, 'done');
  if (isFirst(dir)) {
    const { status, stderr } = spawnSync(process.execPath, ['build.ts', dir, ...moreEntries], {
      cwd: server,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the server was not built: ${stderr}`);
    writeFileSync(isDone, '');
  }
  for (let waitedMs = 0; !existsSync(isDone); waitedMs += 50) {
    if (waitedMs > 60_000) throw new Error('the server was not built within a minute');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return join(dir, basename(script).replace(/\.ts$/, '.js'));
}

function isFirst(dir: string): boolean {
  try {
    mkdirSync(`${dir}.lock`);
    return true;
  } catch {
    return false;
  }
}

/** A real process of this server, or a script of a test, by its path below apps/server. It logs that it is `ready`. */
export function startChild(script: string, env: Record<string, string>): Child {
  const spawned = spawn(process.execPath, ['--import', keepCompiled, builtFile(script)], {
    cwd: server,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'), ...env },
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
      if (line.includes(' ready"')) begin(JSON.parse(line) as LogLine);
    });
    void ended.then(({ code, signal }) => fail(new Error(`${script} ended (${code ?? signal}):\n${lines.join('\n')}`)));
  });
  ready.catch(() => {}); // whoever waits for it hears it; nobody has to wait
  const child: Child = { ready, ended, isAlive, signal: (name) => isAlive() && spawned.kill(name), lines };
  running.add(child);
  return child;
}
