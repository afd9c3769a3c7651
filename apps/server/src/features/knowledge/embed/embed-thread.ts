import { parentPort, workerData } from 'node:worker_threads';
import { openSentenceModel } from './sentence-model.ts';

// A model takes milliseconds of CPU for each text: here, and not on the thread that serves requests.

/** The vector of a text, or why there is none. */
export type EmbedResult = { vector: Float32Array } | { error: string };

// Throws if there is no model in the folder, which ends the thread: the next text starts another.
const { embed } = await openSentenceModel((workerData as { folder: string }).folder);

parentPort?.on('message', (text: string) => void reply(text));

async function reply(text: string): Promise<void> {
  const result = await embed(text).then(
    (vector): EmbedResult => ({ vector }),
    (error: unknown): EmbedResult => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(result, []);
}
