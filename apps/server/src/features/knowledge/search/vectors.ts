import { LRUCache } from 'lru-cache';
import type { Config } from '../../../platform/config.ts';
import { unitMs } from '../../../platform/invocation-limits.ts';
import { embed, type ModelConnection } from '../../../platform/model.ts';
import type { HttpClient } from '../../../platform/safe-fetch.ts';
import { guardedFetch } from '../../../platform/safe-fetch-web.ts';
import type { Log } from '../../../platform/telemetry.ts';
import type { QuestionVector, UnembeddedChunk } from './vectors.store.ts';

/** Computes embeddings. Without one, only tokens are searched. */
export interface Embedder {
  /** Includes the number of dimensions, because one model may support several. */
  model: string;
  /** One vector per chunk, or null if the model logFailure. */
  embedChunks(chunks: readonly UnembeddedChunk[]): Promise<number[][] | null>;
  /** Undefined if the model logFailure or is slow: the search then uses tokens only. */
  embedQuestion(question: string): Promise<QuestionVector | undefined>;
}

const questionMs = 1_500;
/** How long question embeddings are skipped after a failure, so that visitors do not wait for a model that is down. */
const failurePauseMs = 10_000;
/** Longer than any chunk, shorter than the limit of any model. */
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
  const cache = new LRUCache<string, Promise<QuestionVector | undefined>>({ max: 1_000, ttl: 60_000 });
  let pausedUntil = 0;

  const embedTexts = async (texts: readonly string[], timeoutMs: number) => {
    const vectors = await embed(fetch, connection, texts, timeoutMs);
    const isValid = (vector: number[]) =>
      vector.length === dimensions && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
    if (vectors.length === texts.length && vectors.every(isValid)) return vectors;
    throw new Error(`the embedding model did not return ${dimensions} numbers for each text`);
  };
  const logFailure = (error: unknown) =>
    log.warn({ err: error, model }, 'embedding model failed; falling back to keyword search');

  const embedQuestion = async (question: string): Promise<QuestionVector | undefined> => {
    try {
      const [values = []] = await embedTexts([question.slice(0, maxCharacters)], questionMs);
      return { model, values, confidentAt };
    } catch (error) {
      pausedUntil = Date.now() + failurePauseMs;
      cache.delete(question);
      logFailure(error);
      return undefined;
    }
  };

  return {
    model,
    embedChunks: async (chunks) =>
      embedTexts(chunks.map(textOf), unitMs).catch((error: unknown) => {
        logFailure(error);
        return null;
      }),
    embedQuestion: async (question) => {
      const cached = cache.get(question);
      if (cached) return cached;
      if (Date.now() < pausedUntil || question.trim() === '') return undefined;
      const pending = embedQuestion(question);
      cache.set(question, pending);
      return pending;
    },
  };
}

/** The text to embed: the chunk with its title and headings. */
export const textOf = ({ title, heading, body }: Pick<UnembeddedChunk, 'title' | 'heading' | 'body'>) =>
  [...new Set([title, heading])].filter(Boolean).join(' › ').concat('\n', body).slice(0, maxCharacters);
