import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, vi } from 'vitest';
import { run as runProgram } from '../../../../packages/cli/src/program.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { aKey, type TestTenant } from '../harness.ts';

const main = join(import.meta.dirname, '../../../../packages/cli/src/main.ts');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const currentExitCode = () => Number(process.exitCode ?? 0);

/**
 * A command in the test's own process, because most of the time of a short command is the start of Node.js. One at a time:
 * it changes the working folder and the environment.
 */
async function runHere(args: readonly string[], dir: string, env: Record<string, string>): Promise<CommandResult> {
  const [printed, cwd, exitCode] = [{ stdout: '', stderr: '' }, process.cwd(), process.exitCode];
  const spies = [
    ...(['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        printed[name] += String(text);
        return true;
      }),
    ),
    vi.spyOn(process.stdout, 'on').mockReturnThis(), // listeners for a process that ends with the command
    vi.spyOn(process, 'once').mockReturnThis(),
  ];
  process.chdir(dir);
  process.exitCode = undefined;
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    await runProgram(['node', 'parley', ...args]);
    return { code: currentExitCode(), ...printed };
  } finally {
    vi.unstubAllEnvs();
    process.exitCode = exitCode;
    process.chdir(cwd);
    for (const spy of spies) spy.mockRestore();
  }
}

/**
 * A terminal: a working folder, its own home, and nothing else of this machine's environment. With `isQuick`, the sample
 * runs commands in the test's own process; the full run starts a process for each.
 */
export function aTerminal(env: Record<string, string> = {}, { isQuick = false } = {}) {
  const dir = mkdtempSync(join(inject('runDir'), 'parley-cli-'));
  const own = { HOME: dir, XDG_CONFIG_HOME: join(dir, 'config'), ...env };
  const options = {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(inject('runDir'), 'compiled-cli'),
      ...own,
    },
  };
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [main, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = (...args: string[]): Promise<CommandResult> =>
    isQuick && !isFull ? runHere(args, dir, own) : outcomeOf(start(args));
  return {
    dir,
    start,
    /** In a pseudo-terminal with this input: stdout and stderr are the same screen. */
    inTerminal: async (args: readonly string[], typed = ''): Promise<{ code: number | null; screen: string }> => {
      const line = [process.execPath, main, ...args].map((argument) => `'${argument}'`).join(' ');
      const child = spawn('script', ['-qec', line, '/dev/null'], {
        ...options,
        env: { ...options.env, TERM: 'xterm' },
      });
      child.stdin.end(typed);
      const { code, stdout } = await outcomeOf(child);
      return { code, screen: stdout.replaceAll('\r', '') };
    },
    run,
    /** In a separate process, also in the sample. */
    runProcess: (...args: string[]): Promise<CommandResult> => outcomeOf(start(args)),
    /** The output with `--json`, after success. */
    json: async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await run(...args, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as T;
    },
    /** Writes the credentials of a sign-in. */
    signIn: async (apiUrl: string, accessToken: string, more: object = {}) => {
      const profile = {
        apiUrl,
        issuer: apiUrl,
        accessToken,
        expiresAt: Date.now() + 3_600_000,
        refreshToken: '',
        ...more,
      };
      await mkdir(join(dir, 'config/parley'), { recursive: true });
      await writeFile(join(dir, 'config/parley/credentials.json'), JSON.stringify({ default: profile }));
    },
  };
}
export type Terminal = ReturnType<typeof aTerminal>;

export async function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('no output streams');
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  return { code: await ended, stdout: out, stderr: err };
}

/** A terminal with a server key of that tenant in its environment. */
export async function aTerminalOf(
  tenant: TestTenant,
  apiUrl: string,
  permissions: readonly string[],
  options: { isQuick?: boolean } = {},
) {
  const { id, secret } = await aKey(tenant, { permissions });
  return aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: id, PARLEY_KEY: secret }, options);
}

export const errorOf = ({ stderr }: CommandResult) =>
  (
    JSON.parse(stderr) as {
      error: { exitCode: number; reason: string; message: string; next?: string; requestId?: string };
    }
  ).error;
