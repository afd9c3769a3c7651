import { SingleBar } from 'cli-progress';
import type { Out } from './out.ts';

interface Progress {
  at(done: number): void;
  stop(): void;
}

/** On stderr, and only in a terminal, so that logs contain no bars. Without `total` it counts. */
export function showProgress({ isJson }: Out, what: string, total?: number): Progress {
  if (isJson || !process.stderr.isTTY) return { at: () => {}, stop: () => {} };
  const format =
    total === undefined
      ? `${what}: {value}, {duration_formatted}`
      : `${what} [{bar}] {value}/{total}, {duration_formatted}`;
  const bar = new SingleBar({ format, stream: process.stderr, barCompleteChar: '=', barIncompleteChar: ' ' });
  bar.start(total ?? Infinity, 0);
  return { at: (done) => bar.update(done), stop: () => bar.stop() };
}
