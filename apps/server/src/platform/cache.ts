import { LRUCache } from 'lru-cache';
import type { Signals } from './valkey.ts';

/** How long a change may take to act on every node, also when the signal that carries it is lost. */
const ttlMs = 4_000;

export interface Cache<V> {
  /** At once where it is known: a request that meets only warm caches waits for nothing. */
  get(key: string): V | Promise<V>;
  /** Only what is known. */
  peek(key: string): V | undefined;
  /** Forgets it here and on every other node. Call it after the commit. */
  invalidate(key: string): void;
}

/**
 * Remembers what `load` found, for seconds. Many callers for one key share one look-up. `load` may find nothing and say
 * so in its value: that is remembered too, so that a flood of bad keys is not a flood of queries.
 */
export function createCache<V extends object>(
  name: string,
  signals: Signals,
  load: (key: string) => Promise<V>,
  { max = 10_000 } = {},
): Cache<V> {
  const entries = new LRUCache<string, V>({ max, ttl: ttlMs });
  const loading = new Map<string, Promise<V>>();
  const removeLocal = (key: string) => {
    entries.delete(key);
    loading.delete(key); // a look-up under way began before the change: its answer is given, but not remembered
  };
  const channel = `cache:${name}`;
  signals.listen(channel, removeLocal);
  signals.onGap(() => {
    entries.clear();
    loading.clear();
  });

  const startLoad = (key: string): Promise<V> => {
    const promise = load(key)
      .then((value) => {
        if (loading.get(key) === promise) entries.set(key, value);
        return value;
      })
      .finally(() => {
        if (loading.get(key) === promise) loading.delete(key);
      });
    loading.set(key, promise);
    return promise;
  };

  return {
    get: (key) => entries.get(key) ?? loading.get(key) ?? startLoad(key),
    peek: (key) => entries.get(key),
    invalidate: (key) => {
      removeLocal(key);
      signals.send(channel, key);
    },
  };
}
