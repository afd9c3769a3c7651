import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeOptions } from '../../apps/server/src/become-program.ts';

export const repository = resolve(import.meta.dirname, '../..');

/**
 * Runs one of our entry points from source. `watch` restarts it when one of its files changes; `output` is an open file for
 * what it prints; `heapMb` limits V8's heap, which otherwise grows with the machine's memory.
 */
export function runEntry(
  file: string,
  env: Record<string, string>,
  {
    watch = false,
    args = [],
    output = 'inherit',
    heapMb,
  }: { watch?: boolean; args?: string[]; output?: 'inherit' | number; heapMb?: number } = {},
) {
  const flags = [
    ...(watch ? ['--watch', '--watch-preserve-output'] : []),
    ...(heapMb === undefined ? [] : [`--max-heap-size=${heapMb}`]),
    // As a deployment runs the API and the portals, also in benchmarks.
    ...(/\/api\.[jt]s$/.test(file) ? nodeOptions.api : []),
    ...(/\/(?:portal|admin)\/src\/server\.ts$/.test(file) ? ['--max-semi-space-size=16'] : []),
  ];
  const child = spawn(process.execPath, [...flags, resolve(repository, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true, // Ctrl-C is handled by the demo, which then stops everything in order
  });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  return {
    pid: child.pid,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export async function waitFor(url: string, seconds = 60): Promise<void> {
  for (let waited = 0; waited < seconds * 10; waited++) {
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await sleep(100);
  }
  throw new Error(`${url} did not respond within ${seconds} s`);
}
