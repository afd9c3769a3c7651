import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../platform/config.ts';
import { unitMs } from '../../../platform/invocation-limits.ts';
import { measureModelCall } from '../../../platform/metrics/model-metrics.ts';
import { embed, type ModelConnection } from '../../../platform/model.ts';
import type { HttpClient } from '../../../platform/safe-fetch.ts';
import { guardedFetch } from '../../../platform/safe-fetch-web.ts';
import type { Log } from '../../../platform/telemetry.ts';
import type { QuestionVector, UnembeddedChunk } from '../search/vectors.store.ts';
import { openLocalModel } from './local-model.ts';
import { weightsIn } from './model.ts';

/** Computes embeddings. Without one, only tokens are searched. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  model: string;
  /** The languages that the model was trained on; undefined for all. */
  languages: readonly string[] | undefined;
  /** How many chunks to embed at a time. */
  batchSize: number;
  /** One vector per chunk, or null if the model failed. */
  embedChunks(chunks: readonly UnembeddedChunk[]): Promise<number[][] | null>;
  /** Undefined if the model failed or is slow: the search then uses tokens only. */
  embedQuestion(question: string): Promise<QuestionVector | undefined>;
}

type Setting = NonNullable<Config['EMBEDDINGS']>;
type RemoteSetting = Exclude<Setting, { provider: 'local' }>;
type LocalSetting = Extract<Setting, { provider: 'local' }>;

/** Where vectors come from: an HTTP API, or a model in this process. */
interface VectorSource {
  model: string;
  batchSize: number;
  embedTexts(texts: readonly string[], kind: 'question' | 'chunk'): Promise<number[][]>;
}

/** How long question embeddings are skipped after a failure, so that visitors do not wait for a model that is down. */
const failurePauseMs = 10_000;
/** Longer than any chunk, shorter than the limit of any model. */
const maxCharacters = 6_000;

export function openEmbedder({
  config: { EMBEDDINGS: setting },
  safeFetch,
  log,
}: {
  config: Pick<Config, 'EMBEDDINGS'>;
  safeFetch: HttpClient;
  log: Pick<Log, 'warn'>;
}): Embedder | undefined {
  if (!setting) return undefined;
  const { confidentAt, languages } = setting;
  const { model, batchSize, embedTexts } =
    setting.provider === 'local' ? localSource(setting) : remoteSource(setting, safeFetch);
  const cache = new LRUCache<string, Promise<QuestionVector | undefined>>({ max: 1_000, ttl: 60_000 });
  let pausedUntil = 0;
  const logFailure = (error: unknown) =>
    log.warn({ err: error, model }, 'embedding model failed; falling back to keyword search');

  const embedQuestion = async (question: string): Promise<QuestionVector | undefined> => {
    try {
      const [values = []] = await embedTexts([question.slice(0, maxCharacters)], 'question');
      return { model, values, languages, confidentAt };
    } catch (error) {
      pausedUntil = Date.now() + failurePauseMs;
      cache.delete(question);
      logFailure(error);
      return undefined;
    }
  };

  return {
    model,
    languages,
    batchSize,
    embedChunks: async (chunks) =>
      embedTexts(chunks.map(textOf), 'chunk').catch((error: unknown) => {
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

const remoteMs = { question: 1_500, chunk: unitMs };

function remoteSource(setting: RemoteSetting, safeFetch: HttpClient): VectorSource {
  const { baseUrl = null, apiKey = null, dimensions, ...rest } = setting;
  const connection: ModelConnection = { ...rest, baseUrl, apiKey, outputPrice: 0 };
  const fetch = guardedFetch(safeFetch);
  return {
    model: `${rest.model}/${dimensions}`, // one model may support several
    batchSize: 64,
    embedTexts: async (texts, kind) => {
      const vectors = await embed(fetch, connection, texts, remoteMs[kind]);
      const isValid = (vector: number[]) =>
        vector.length === dimensions && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
      if (vectors.length === texts.length && vectors.every(isValid)) return vectors;
      throw new Error(`the embedding model did not return ${dimensions} numbers for each text`);
    },
  };
}

/** Runs in a thread of this process, and costs nothing else. */
const localModel = { provider: 'local', model: 'local', inputPrice: 0, outputPrice: 0 } as const;
const errorTypeOf = (error: unknown) => (error instanceof Error && /time/i.test(error.message) ? 'timeout' : 'error');

/** The first question after a start also waits for the model to load. */
const localMs = { question: 5_000, chunk: unitMs };

function localSource({ path, questionPrefix = '', chunkPrefix = '' }: LocalSetting): VectorSource {
  const embedText = openLocalModel(path);
  const prefixes = { question: questionPrefix, chunk: chunkPrefix };
  return {
    model: `${basename(path)}/${sizeOf(path)}`,
    batchSize: 16,
    embedTexts: (texts, kind) =>
      measureModelCall('embeddings', localModel, errorTypeOf, () =>
        within(
          localMs[kind],
          Promise.all(texts.map(async (text) => [...(await embedText(`${prefixes[kind]}${text}`, kind))])),
        ),
      ),
  };
}

/** Tells models apart that replaced each other in the same folder. */
const sizeOf = (folder: string): number => statSync(weightsIn(folder) ?? folder, { throwIfNoEntry: false })?.size ?? 0;

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timeout = setTimeout(() => reject(new Error(`the embedding model took longer than ${ms} ms`)), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timeout));
}

/** The text to embed: the chunk with its title and headings. */
export const textOf = ({ title, heading, body }: Pick<UnembeddedChunk, 'title' | 'heading' | 'body'>) =>
  [...new Set([title, heading])].filter(Boolean).join(' › ').concat('\n', body).slice(0, maxCharacters);
