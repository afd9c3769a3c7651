import { Worker } from 'node:worker_threads';
import { Unreadable, type Problem } from '../problems.ts';
import { limits } from './limits.ts';
import type { Reading } from './read.ts';
import type { Outcome } from './reader-thread.ts';
import type { Raw } from './sniff.ts';

export type Read = (raw: Raw) => Promise<Reading>;

interface Thread {
  worker: Worker;
  /** Replaced after so many: what libraries keep of others' documents goes with it. */
  served: number;
}

const script = new URL(`./reader-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const threads = 2;
const mostServed = 100;
/** How often we look at what a thread takes up outside of its heap, which no limit of the runtime covers. */
const lookMs = 50;

/** Reads documents in threads of their own: none takes longer, or more memory, than it may, and none stops this process. */
export function createReader({ ms = limits.ms, megabytes = limits.heapMegabytes } = {}): Read {
  const idle: Thread[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  const take = async (): Promise<Thread> => {
    if (busy < threads) busy++;
    else await new Promise<void>((resolve) => waiting.push(resolve)); // until somebody hands over their place
    return idle.pop() ?? { worker: startThread(megabytes), served: 0 };
  };
  const giveBack = (thread: Thread, mayServeAgain: boolean) => {
    if (mayServeAgain) idle.push(thread);
    else void thread.worker.terminate();
    const next = waiting.shift();
    if (next) next();
    else busy--;
  };

  return async ({ bytes, mediaType, name }) => {
    const thread = await take();
    thread.served++;
    const raw = { bytes, mediaType, ...(name !== undefined && { name }) };
    const { outcome, hasAnswered } = await ask(thread.worker, raw, ms, megabytes);
    giveBack(thread, hasAnswered && thread.served < mostServed);
    if ('problem' in outcome) throw new Unreadable(outcome.problem);
    return outcome.reading;
  };
}

function startThread(megabytes: number): Worker {
  const worker = new Worker(script, {
    env: {},
    execArgv: [],
    stdout: true, // what libraries mutter is nobody's business
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  worker.on('error', () => undefined); // also one that comes when nobody waits any more
  worker.unref();
  return worker;
}

interface Asked {
  outcome: Outcome;
  /** Else it has ended, or still works on what it was given. */
  hasAnswered: boolean;
}

/** Never rejects: a thread that ends, by itself or by us, is an outcome too. */
async function ask(worker: Worker, raw: Raw, ms: number, megabytes: number): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const giveUp = (problem: Problem) => resolve({ outcome: { problem }, hasAnswered: false });
  const hear = (outcome: Outcome) => resolve({ outcome, hasAnswered: true });
  const fail = (error: Error & { code?: string }) =>
    giveUp(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_large' : 'broken');
  const end = () => giveUp('broken');
  const look = () =>
    worker.getHeapStatistics().then(
      ({ external_memory: outside }) => void (outside > megabytes * 1024 * 1024 && giveUp('too_large')),
      () => undefined, // it has ended
    );
  const late = setTimeout(() => giveUp('too_slow'), ms);
  const looking = setInterval(() => void look(), lookMs);
  worker.ref();
  worker.on('message', hear).on('error', fail).on('exit', end);
  worker.postMessage(raw, []);
  const asked = await promise;
  worker.off('message', hear).off('error', fail).off('exit', end);
  worker.unref();
  clearTimeout(late);
  clearInterval(looking);
  return asked;
}
