import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { busy, isCodeMissing } from '../../../../platform/errors.ts';
import { Unreadable, type Problem } from '../problems.ts';
import { createFairQueue } from './fair-queue.ts';
import { limits } from './limits.ts';
import type { Outcome, TaskCall, Tasks } from './reader-thread.ts';

type Input<K extends keyof Tasks> = Parameters<Tasks[K]>[0];
type Result<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;

/** `owner`: the tenant that owns the document. `maxMs`: what is left of its time; waiting for a thread is not counted. */
export type Reader = <K extends keyof Tasks>(
  task: K,
  input: Input<K>,
  owner: string,
  maxMs?: number,
) => Promise<Result<K>>;

/** A `Reader` bound to one owner. */
export type RunInThread = <K extends keyof Tasks>(task: K, input: Input<K>) => Promise<Result<K>>;

interface Thread {
  worker: Worker;
  /** Threads are replaced after `maxServed` tasks, to free what libraries keep in memory. */
  served: number;
}

const threadFile = new URL(`./reader-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const threads = 2;
const maxServed = 100;
/** A thread that wanted to run and got less CPU time than this share of its limit was kept waiting by a busy machine. */
const minCpuShare = 1 / 3;
/** How often memory outside of the heap is checked, which `resourceLimits` does not cover. */
const memoryCheckMs = 50;
/** How long a thread may take to say how much CPU time it used. */
const askMs = 250;

/** Reads documents in worker threads with time and memory limits, so that none can block or crash this process. */
export function createReader({ ms = limits.ms, megabytes = limits.heapMegabytes, file = threadFile } = {}): Reader {
  const idle: Thread[] = [];
  const queue = createFairQueue(threads);

  return async <K extends keyof Tasks>(
    task: K,
    input: Input<K>,
    owner: string,
    maxMs: number = ms,
  ): Promise<Result<K>> => {
    await queue.take(owner);
    const thread = idle.pop() ?? { worker: startThread(file, megabytes), served: 0 };
    thread.served++;
    const call = { task, input } as TaskCall;
    const { outcome, hasResponded } = await runTask(thread.worker, call, Math.min(ms, maxMs), megabytes);
    if (hasResponded && thread.served < maxServed) idle.push(thread);
    else void thread.worker.terminate();
    queue.release(owner);
    if ('problem' in outcome) throw new Unreadable(outcome.problem);
    if ('failure' in outcome) throw outcome.failure; // the sync is retried, by another worker if this one can't
    return outcome.result as Result<K>;
  };
}

function startThread(file: URL, megabytes: number): Worker {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    stdout: true, // discards the output of libraries
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  worker.on('error', () => undefined); // also handles errors after the task has ended
  worker.unref();
  return worker;
}

interface TaskOutcome {
  outcome: Outcome;
  /** false if the thread has ended or is still busy. */
  hasResponded: boolean;
}

/** Never rejects: a thread that exits or is aborted is a result too. */
async function runTask(worker: Worker, call: TaskCall, ms: number, megabytes: number): Promise<TaskOutcome> {
  const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
  const abort = (problem: Problem) => resolve({ outcome: { problem }, hasResponded: false });
  const onMessage = (outcome: Outcome) => resolve({ outcome, hasResponded: true });
  const onError = (error: Error & { code?: string }) =>
    isCodeMissing(error)
      ? resolve({ outcome: { failure: error }, hasResponded: false })
      : abort(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_large' : 'corrupted');
  const onExit = () => abort('corrupted');
  const checkMemory = () =>
    worker.getHeapStatistics().then(
      ({ external_memory: outside }) => void (outside > megabytes * 1024 * 1024 && abort('too_large')),
      () => undefined, // the thread has ended
    );
  const cpuUsed = measureCpu(worker);
  const onTimeout = async () =>
    (await cpuUsed()) < minCpuShare * ms
      ? resolve({
          outcome: { failure: busy('Reading takes too long right now. Try again in a few seconds.', 5) },
          hasResponded: false,
        })
      : abort('processing_timeout');
  const timeout = setTimeout(() => void onTimeout(), ms);
  const memoryTimer = setInterval(() => void checkMemory(), memoryCheckMs);
  worker.ref();
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  worker.postMessage(call, []);
  const taskOutcome = await promise;
  worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  worker.unref();
  clearTimeout(timeout);
  clearInterval(memoryTimer);
  return taskOutcome;
}

/**
 * Milliseconds of CPU time from now on, with those in which the thread waited for something else than the CPU. A thread that
 * can't be asked was in a library's native code all the time.
 */
function measureCpu(worker: Worker): () => Promise<number> {
  const before = worker.cpuUsage().catch(() => ({ user: 0, system: 0 })); // a new thread is not running yet
  const idleBefore = worker.performance.eventLoopUtilization().idle;
  const ask = async () => worker.cpuUsage(await before).catch(() => undefined);
  return async () => {
    const used = await Promise.race([ask(), sleep(askMs)]);
    if (!used) return Infinity;
    const idleMs = worker.performance.eventLoopUtilization().idle - idleBefore;
    return (used.user + used.system) / 1_000 + idleMs;
  };
}
