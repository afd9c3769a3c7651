import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject } from 'vitest';
import { aKey, type TestTenant } from '../harness.ts';

const main = join(import.meta.dirname, '../../../../packages/cli/src/main.ts');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A terminal: a working folder, its own home, and nothing else of this machine's environment. */
export function aTerminal(env: Record<string, string> = {}) {
  const dir = mkdtempSync(join(inject('runDir'), 'parley-cli-'));
  const options = {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      XDG_CONFIG_HOME: join(dir, 'config'),
      NODE_COMPILE_CACHE: join(inject('runDir'), 'compiled-cli'),
      ...env,
    },
  };
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [main, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = (...args: string[]): Promise<CommandResult> => outcomeOf(start(args));
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
export async function aTerminalOf(tenant: TestTenant, apiUrl: string, permissions: readonly string[]) {
  const { id, secret } = await aKey(tenant, { permissions });
  return aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: id, PARLEY_KEY: secret });
}

export const errorOf = ({ stderr }: CommandResult) =>
  (
    JSON.parse(stderr) as {
      error: { exitCode: number; reason: string; message: string; next?: string; requestId?: string };
    }
  ).error;
