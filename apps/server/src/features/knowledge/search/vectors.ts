import { LRUCache } from 'lru-cache';
import type { Config } from '../../../platform/config.ts';
import { embed, type ModelConnection } from '../../../platform/model.ts';
import type { HttpClient } from '../../../platform/safe-fetch.ts';
import { guardedFetch } from '../../../platform/safe-fetch-web.ts';
import type { Log } from '../../../platform/telemetry.ts';
import type { QuestionVector, Unembedded } from './vectors.store.ts';

/** What tells the meaning of texts in numbers. Whoever has none searches by words. */
export interface Embedder {
  /** Named with the length of its vectors, as one model may make several. */
  model: string;
  /** A vector for each, or null when it fails: later it may work. */
  ofChunks(chunks: readonly Unembedded[]): Promise<number[][] | null>;
  /** Undefined when it fails or is slow: the words alone must do, and nobody waits longer. */
  ofQuestion(question: string): Promise<QuestionVector | undefined>;
}

const questionMs = 1_500;
const chunksMs = 15_000;
/** How long one that failed is left alone with questions: each would make a visitor wait for nothing. */
const restMs = 10_000;
/** More than any chunk has, and less than any model takes. */
const maxCharacters = 6_000;

export function openEmbedder({
  config,
  safeFetch,
  log,
}: {
  config: Pick<Config, 'EMBEDDINGS'>;
  safeFetch: HttpClient;
  log: Pick<Log, 'warn'>;
}): Embedder | undefined {
  if (!config.EMBEDDINGS) return undefined;
  const { baseUrl = null, apiKey = null, dimensions, confidentAt, ...rest } = config.EMBEDDINGS;
  const connection: ModelConnection = { ...rest, baseUrl, apiKey, outputPrice: 0 };
  const fetch = guardedFetch(safeFetch);
  const model = `${rest.model}/${dimensions}`;
  const known = new LRUCache<string, Promise<QuestionVector | undefined>>({ max: 1_000, ttl: 60_000 });
  let restsUntil = 0;

  const ask = async (texts: readonly string[], timeoutMs: number) => {
    const vectors = await embed(fetch, connection, texts, timeoutMs);
    const isRight = (vector: number[]) =>
      vector.length === dimensions && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
    if (vectors.length === texts.length && vectors.every(isRight)) return vectors;
    throw new Error(`the embedding model did not return ${dimensions} numbers for each text`);
  };
  const failed = (error: unknown) =>
    log.warn({ err: error, model }, 'embedding model failed; falling back to keyword search');

  const embedQuestion = async (question: string): Promise<QuestionVector | undefined> => {
    try {
      const [values = []] = await ask([question.slice(0, maxCharacters)], questionMs);
      return { model, values, confidentAt };
    } catch (error) {
      restsUntil = Date.now() + restMs;
      known.delete(question);
      failed(error);
      return undefined;
    }
  };

  return {
    model,
    ofChunks: async (chunks) =>
      ask(chunks.map(textOf), chunksMs).catch((error: unknown) => {
        failed(error);
        return null;
      }),
    ofQuestion: async (question) => {
      const asked = known.get(question);
      if (asked) return asked;
      if (Date.now() < restsUntil || question.trim() === '') return undefined;
      const asking = embedQuestion(question);
      known.set(question, asking);
      return asking;
    },
  };
}

/** A chunk means what it does under its headings. */
export const textOf = ({ title, heading, body }: Pick<Unembedded, 'title' | 'heading' | 'body'>) =>
  [...new Set([title, heading])].filter(Boolean).join(' › ').concat('\n', body).slice(0, maxCharacters);
