import { parentPort } from 'node:worker_threads';
import { Unreadable, type Problem } from '../problems.ts';
import { readBytes, type Reading } from './read.ts';
import type { Raw } from './sniff.ts';

/** What the thread says of a document: what it reads like, or why it cannot be read. */
export type Outcome = { reading: Reading } | { problem: Problem };

parentPort?.on('message', (raw: Raw) => void answer(raw));

async function answer(raw: Raw): Promise<void> {
  const outcome = await readBytes(raw).then(
    (reading): Outcome => ({ reading }),
    // A library that stumbles, or a stack that runs over, is what the document did.
    (error: unknown): Outcome => ({ problem: error instanceof Unreadable ? error.reason : 'broken' }),
  );
  parentPort?.postMessage(outcome, []);
}
