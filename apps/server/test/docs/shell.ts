import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../chat/helpers.ts';

const ended = '@@ended';
const packages = join(import.meta.dirname, 'npm.ts');

/** A shell in a folder: commands in sequence that share state, and background programs. */
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
      // Each command of a page starts Node with the same packages.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'parley-docs-compiled'),
      ...env,
    },
    detached: true, // its programs end with it
  });
  let [out, error, isClosed] = ['', '', false];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  child.once('close', () => (isClosed = true));
  const logs: string[] = [];
  const jobs = new Map<string, string>();
  /** An error with all output. */
  const failure = (what: string) =>
    new Error([what, out, error, ...logs.map((log) => existsSync(log) && readFileSync(log, 'utf8'))].join('\n--\n'));

  async function run(code: string): Promise<string> {
    out = '';
    child.stdin.write(`{\n${code}\n} </dev/null\necho ${ended}\n`);
    await until(() => isClosed || out.includes(ended), 300_000).catch(() => {
      throw failure(`did not end:\n${code}`);
    });
    if (!out.includes(ended)) throw failure(`failed:\n${code}`);
    return out.slice(0, out.lastIndexOf(ended));
  }

  /** Runs until the shell is closed or another program takes its name; returns its output so far. */
  async function serve(code: string, name = ''): Promise<() => string> {
    const log = join(bin, `log-${logs.length}`);
    logs.push(log);
    writeFileSync(log, '');
    const before = jobs.get(name);
    if (before) await run(`kill ${before}; wait ${before} || true`);
    const job = await run(`{\n${code.trim().replace(/^((?:\w+=\S* )*)/, 'exec env $1')}\n} >'${log}' 2>&1 & echo $!`);
    if (name) jobs.set(name, job.trim());
    // Until it prints or ends: how long it takes to start says more about the machine than about the page.
    const hasPrinted = () => readFileSync(log, 'utf8').includes('\n');
    const hasEnded = async () => (await run(`kill -0 ${job.trim()} 2>/dev/null || echo ended`)).includes('ended\n');
    await until(async () => hasPrinted() || (await hasEnded()), 120_000).catch(() => {});
    if (!hasPrinted()) throw failure(`printed nothing:\n${code}`);
    return () => readFileSync(log, 'utf8');
  }

  const close = async () => {
    if (isClosed || !child.pid) return;
    process.kill(-child.pid, 'SIGKILL');
    await until(() => isClosed);
  };
  return { run, serve, close, failure };
}
