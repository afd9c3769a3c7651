import { parentPort } from 'node:worker_threads';
import { Unreadable, type Problem } from '../problems.ts';
import { readDocument } from './document.ts';
import { checkRobots } from './robots.ts';
import { readSitemap } from './sitemap-xml.ts';

// Untrusted documents are parsed here, and not on the thread that serves the requests and timers of all tenants.

const tasks = { readDocument, readSitemap, checkRobots };
export type Tasks = typeof tasks;

export type TaskCall = { [K in keyof Tasks]: { task: K; input: Parameters<Tasks[K]>[0] } }[keyof Tasks];

/** The result of a task, or why the document cannot be read. */
export type Outcome = { result: unknown } | { problem: Problem };

parentPort?.on('message', (call: TaskCall) => void runTask(call));

async function runTask({ task, input }: TaskCall): Promise<void> {
  const run = async () => (tasks[task] as (input: unknown) => unknown)(input);
  const outcome = await run().then(
    (result): Outcome => ({ result }),
    // An exception in a library or a stack overflow means that the document is corrupted.
    (error: unknown): Outcome => ({ problem: error instanceof Unreadable ? error.reason : 'corrupted' }),
  );
  parentPort?.postMessage(outcome, []);
}
