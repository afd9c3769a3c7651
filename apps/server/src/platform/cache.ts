import { LRUCache } from 'lru-cache';
import type { Signals } from './valkey.ts';

/** The longest time until a change takes effect on every node, even if its signal is lost. */
const ttlMs = 4_000;

export interface Cache<V> {
  /** Synchronous if cached, so that a request with warm caches does not wait. */
  get(key: string): V | Promise<V>;
  /** Returns a cached value without loading it. */
  peek(key: string): V | undefined;
  /** Removes the entry on this and every other node. Call it after the commit. */
  invalidate(key: string): void;
}

/**
 * Caches the results of `load` for seconds. Concurrent callers of one key share one load. `load` can express a missing
 * value in its result, which is cached too, so that a flood of invalid keys does not become a flood of queries.
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
    loading.delete(key); // a load in progress started before the change: its result is returned but not cached
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
