import { Worker } from 'node:worker_threads';
import { Unreadable, type Problem } from '../problems.ts';
import { createFairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';
import type { Outcome, TaskCall, Tasks } from './reader-thread.ts';

type Input<K extends keyof Tasks> = Parameters<Tasks[K]>[0];
type Result<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;

/** `owner`: the tenant whose document it is. */
export type Reader = <K extends keyof Tasks>(task: K, input: Input<K>, owner: string) => Promise<Result<K>>;

/** The same for one owner. */
export type RunInThread = <K extends keyof Tasks>(task: K, input: Input<K>) => Promise<Result<K>>;

interface Thread {
  worker: Worker;
  /** Replaced after so many: what libraries keep of others' documents goes with it. */
  served: number;
}

const script = new URL(`./reader-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const threads = 2;
const maxServed = 100;
/** How often we look at what a thread takes up outside of its heap, which no limit of the runtime covers. */
const lookMs = 50;

/** Reads documents in threads of their own: none takes longer, or more memory, than it may, and none stops this process. */
export function createReader({ ms = limits.ms, megabytes = limits.heapMegabytes } = {}): Reader {
  const idle: Thread[] = [];
  const queue = createFairQueue(threads);

  return async <K extends keyof Tasks>(task: K, input: Input<K>, owner: string): Promise<Result<K>> => {
    await queue.take(owner);
    const thread = idle.pop() ?? { worker: startThread(megabytes), served: 0 };
    thread.served++;
    const call = { task, input } as TaskCall;
    const { outcome, hasAnswered } = await ask(thread.worker, call, ms, megabytes);
    if (hasAnswered && thread.served < maxServed) idle.push(thread);
    else void thread.worker.terminate();
    queue.release(owner);
    if ('problem' in outcome) throw new Unreadable(outcome.problem);
    return outcome.result as Result<K>;
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
async function ask(worker: Worker, call: TaskCall, ms: number, megabytes: number): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const giveUp = (problem: Problem) => resolve({ outcome: { problem }, hasAnswered: false });
  const hear = (outcome: Outcome) => resolve({ outcome, hasAnswered: true });
  const fail = (error: Error & { code?: string }) =>
    giveUp(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_large' : 'corrupted');
  const end = () => giveUp('corrupted');
  const look = () =>
    worker.getHeapStatistics().then(
      ({ external_memory: outside }) => void (outside > megabytes * 1024 * 1024 && giveUp('too_large')),
      () => undefined, // it has ended
    );
  const late = setTimeout(() => giveUp('processing_timeout'), ms);
  const looking = setInterval(() => void look(), lookMs);
  worker.ref();
  worker.on('message', hear).on('error', fail).on('exit', end);
  worker.postMessage(call, []);
  const asked = await promise;
  worker.off('message', hear).off('error', fail).off('exit', end);
  worker.unref();
  clearTimeout(late);
  clearInterval(looking);
  return asked;
}
