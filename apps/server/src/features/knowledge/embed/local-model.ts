import { Worker } from 'node:worker_threads';
import type { EmbedResult } from './embed-thread.ts';

/** Computes the vector of a text with a model that runs in this process. Questions go before chunks. */
export type LocalModel = (text: string, kind: 'question' | 'chunk') => Promise<Float32Array>;

interface Job {
  text: string;
  resolve: (vector: Float32Array) => void;
  reject: (error: Error) => void;
}

const threadFile = new URL(`./embed-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** One per folder, since a model takes tens of megabytes. */
const opened = new Map<string, LocalModel>();

export function openLocalModel(folder: string): LocalModel {
  const known = opened.get(folder) ?? createLocalModel(folder);
  opened.set(folder, known);
  return known;
}

/** The thread starts with the first text, and again after it has failed. It has one text at a time. */
function createLocalModel(folder: string): LocalModel {
  const waiting: Record<'question' | 'chunk', Job[]> = { question: [], chunk: [] };
  let thread: Worker | undefined;
  let current: Job | undefined;

  const startThread = () => {
    const started = new Worker(threadFile, { workerData: { folder }, env: {}, execArgv: [] });
    const fail = (error: Error) => {
      if (thread === started) thread = undefined;
      void started.terminate();
      finish((job) => job.reject(error));
    };
    started.on('message', (result: EmbedResult) =>
      finish((job) => ('vector' in result ? job.resolve(result.vector) : job.reject(new Error(result.error)))),
    );
    started.on('error', fail);
    return started;
  };
  const finish = (settle: (job: Job) => void) => {
    const job = current;
    current = undefined;
    if (job) settle(job);
    startNext();
  };
  const startNext = () => {
    if (current) return;
    current = waiting.question.shift() ?? waiting.chunk.shift();
    if (current) {
      thread ??= startThread();
      thread.ref();
      thread.postMessage(current.text, []);
    } else thread?.unref();
  };

  return (text, kind) =>
    new Promise((resolve, reject) => {
      waiting[kind].push({ text, resolve, reject });
      startNext();
    });
}
