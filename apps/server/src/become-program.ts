import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The options of Node that each program runs with. */
export const nodeOptions = {
  // Room for the short-lived objects of many requests: see `collectStartupGarbage`. Without the upper limit, V8 makes it four
  // times as large when many streams are opened, and keeps it. V8 reads these flags only when a process starts, and
  // NODE_OPTIONS doesn't accept the first.
  api: ['--min-semi-space-size=16', '--max-semi-space-size=16'],
  worker: [],
};

export const isProgram = (name: string | undefined): name is keyof typeof nodeOptions =>
  name !== undefined && Object.hasOwn(nodeOptions, name);

/**
 * Replaces this process by the API or the worker. It keeps its process ID, so that signals of a container or service manager
 * reach it, and has nothing of the command line in its memory.
 */
export function becomeProgram(name: keyof typeof nodeOptions): void {
  const file = fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
  if (!process.execve) throw new Error('This system cannot replace a process. Start the program’s file with node.');
  process.execve(process.execPath, [process.execPath, ...nodeOptions[name], ...process.execArgv, file]);
}
