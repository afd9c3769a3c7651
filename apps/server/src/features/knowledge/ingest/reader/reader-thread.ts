import { parentPort } from 'node:worker_threads';
import { Unreadable, type Problem } from '../problems.ts';
import { readDocument } from './document.ts';
import { checkRobots } from './robots.ts';
import { readSitemap } from './sitemap-xml.ts';

// Whatever others have written is read here, and not where all tenants' requests and timers run.

const tasks = { readDocument, readSitemap, checkRobots };
export type Tasks = typeof tasks;

export type TaskCall = { [K in keyof Tasks]: { task: K; input: Parameters<Tasks[K]>[0] } }[keyof Tasks];

/** What the thread says of it: what came out, or why it cannot be read. */
export type Outcome = { result: unknown } | { problem: Problem };

parentPort?.on('message', (call: TaskCall) => void answer(call));

async function answer({ task, input }: TaskCall): Promise<void> {
  const run = async () => (tasks[task] as (input: unknown) => unknown)(input);
  const outcome = await run().then(
    (result): Outcome => ({ result }),
    // A library that stumbles, or a stack that runs over, is what the document did.
    (error: unknown): Outcome => ({ problem: error instanceof Unreadable ? error.reason : 'corrupted' }),
  );
  parentPort?.postMessage(outcome, []);
}
