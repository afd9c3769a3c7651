import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../chat/helpers.ts';

const ended = '@@ended';
const packages = join(import.meta.dirname, 'npm.ts');

/** A terminal in a folder: commands one after the other, with what they leave behind, and programs that go on running. */
export function aShell(folder: string, env: Record<string, string>) {
  mkdirSync(folder, { recursive: true });
  const bin = `${folder}.bin`;
  mkdirSync(bin, { recursive: true });
  for (const name of ['npm', 'npx']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${packages}' ${name} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const child = spawn('bash', ['--noprofile', '--norc', '-euo', 'pipefail'], {
    cwd: folder,
    env: {
      PATH: [bin, dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: folder,
      NO_COLOR: '1',
      // Each command of a page is a Node that loads the same packages.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'parley-docs-compiled'),
      ...env,
    },
    detached: true, // its programs end with it
  });
  let [out, error, isOver] = ['', '', false];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  child.once('close', () => (isOver = true));
  const logs: string[] = [];
  const jobs = new Map<string, string>();
  /** With everything that was printed. */
  const trouble = (what: string) =>
    new Error([what, out, error, ...logs.map((log) => existsSync(log) && readFileSync(log, 'utf8'))].join('\n--\n'));

  async function run(code: string): Promise<string> {
    out = '';
    child.stdin.write(`{\n${code}\n} </dev/null\necho ${ended}\n`);
    await until(() => isOver || out.includes(ended), 300_000).catch(() => {
      throw trouble(`did not end:\n${code}`);
    });
    if (!out.includes(ended)) throw trouble(`failed:\n${code}`);
    return out.slice(0, out.lastIndexOf(ended));
  }

  /** Goes on running until the shell is closed, or another takes its name; gives what it has printed so far. */
  async function serve(code: string, name = ''): Promise<() => string> {
    const log = join(bin, `log-${logs.length}`);
    logs.push(log);
    writeFileSync(log, '');
    const before = jobs.get(name);
    if (before) await run(`kill ${before}; wait ${before} || true`);
    const job = await run(`{\n${code.trim().replace(/^((?:\w+=\S* )*)/, 'exec env $1')}\n} >'${log}' 2>&1 & echo $!`);
    if (name) jobs.set(name, job.trim());
    await until(() => readFileSync(log, 'utf8').includes('\n'), 20_000).catch(() => {
      throw trouble(`said nothing:\n${code}`);
    });
    return () => readFileSync(log, 'utf8');
  }

  const close = async () => {
    if (isOver || !child.pid) return;
    process.kill(-child.pid, 'SIGKILL');
    await until(() => isOver);
  };
  return { run, serve, close, trouble };
}
