import { execFileSync } from 'node:child_process';
import { connect, type Db } from '../apps/server/src/platform/db.ts';
import { startStack, type Stack } from '../tools/stack/index.ts';

/** What a deployment runs, built by `buildServer`. */
export const built = { api: 'apps/server/dist/api.js', worker: 'apps/server/dist/worker.js' };

const npmRun = (script: string) => execFileSync('npm', ['run', '--silent', script], { stdio: 'inherit' });
export const buildServer = () => npmRun('build:server');
/** With everything that a page loads. */
export const buildAll = () => npmRun('build');

export type OnEnd = (stop: () => unknown) => void;

/** Runs `work` on its own servers. What it passes to `onEnd` is stopped before them, the last first. */
export async function withStack<T>(
  work: (stack: Stack, onEnd: OnEnd) => Promise<T>,
  { durable = false } = {},
): Promise<T> {
  const stack = await startStack('bench', { keep: false, durable });
  const stops: (() => unknown)[] = [];
  try {
    return await work(stack, (stop) => stops.push(stop));
  } finally {
    for (const stop of stops.toReversed()) await stop();
    await stack.stop();
  }
}

export const adminUrl = ({ postgres }: Stack): string =>
  Object.assign(new URL(postgres.adminUrl), { pathname: 'parley' }).href;

/** A superuser who has as long as it takes to fill a table: the server's own limit is for requests. */
export const connectAdmin = (stack: Stack): Db => connect(adminUrl(stack), { max: 1, queryMs: 3_600_000 });
