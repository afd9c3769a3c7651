import { runEntry, waitFor } from '../../../tools/demo/processes.ts';

interface ProcessOptions {
  entry: string;
  settings: Record<string, string>;
  readyUrl: string;
  /** An open file for what it prints. */
  output: number;
}

/** One of our processes, which can be killed, paused and started again with other settings. */
export async function runProcess({ entry, settings, readyUrl, output }: ProcessOptions) {
  let child: ReturnType<typeof runEntry> | undefined;
  const signal = (name: NodeJS.Signals) => {
    if (child?.pid !== undefined) process.kill(child.pid, name);
  };
  const end = async (name: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (ending?.pid === undefined) return;
    process.kill(ending.pid, 'SIGCONT');
    process.kill(ending.pid, name);
    await ending.ended;
  };
  const start = async (more: Record<string, string> = {}) => {
    child = runEntry(entry, { NODE_ENV: 'production', ...settings, ...more }, { output });
    await waitFor(readyUrl);
  };
  const kill = () => end('SIGKILL');
  await start();
  return {
    kill,
    start,
    /** kill -9, and a start with other settings. */
    restart: async (more: Record<string, string> = {}) => {
      await kill();
      await start(more);
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: () => end('SIGTERM'),
  };
}
