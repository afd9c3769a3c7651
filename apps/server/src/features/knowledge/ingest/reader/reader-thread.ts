import { parentPort } from 'node:worker_threads';
import { isCodeMissing } from '../../../../platform/errors.ts';
import { Unreadable, type Problem } from '../problems.ts';
import { readDocument } from './document.ts';
import { readLinks } from './links.ts';
import { checkRobots } from './robots.ts';
import { readSitemap } from './sitemap-xml.ts';

// Untrusted documents are parsed here, and not on the thread that serves the requests and timers of all tenants.

const tasks = { readDocument, readLinks, readSitemap, checkRobots };
export type Tasks = typeof tasks;

export type TaskCall = { [K in keyof Tasks]: { task: K; input: Parameters<Tasks[K]>[0] } }[keyof Tasks];

/** The result of a task, why the document cannot be read, or a failure of this process, for which no document is at fault. */
export type Outcome = { result: unknown } | { problem: Problem } | { failure: Error };

parentPort?.on('message', (call: TaskCall) => void runTask(call));

async function runTask({ task, input }: TaskCall): Promise<void> {
  const run = async () => (tasks[task] as (input: unknown) => unknown)(input);
  const outcome = await run().then((result): Outcome => ({ result }), outcomeOf);
  parentPort?.postMessage(outcome, []);
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Unreadable) return { problem: error.reason };
  if (error instanceof Error && isCodeMissing(error)) return { failure: error };
  return { problem: 'corrupted' }; // an exception in a library or a stack overflow
}
