import { LRUCache } from 'lru-cache';
import type { Signals } from './valkey.ts';

/** How long a change may take to act on every node, also when the signal that carries it is lost. */
const freshMs = 4_000;

export interface Cache<V> {
  /** At once where it is known: a request that meets only warm caches waits for nothing. */
  get(key: string): V | Promise<V>;
  /** Only what is known. */
  peek(key: string): V | undefined;
  /** Forgets it here and on every other node. Call it after the commit. */
  drop(key: string): void;
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
  const entries = new LRUCache<string, V>({ max, ttl: freshMs });
  const loading = new Map<string, Promise<V>>();
  const invalidate = (key: string) => {
    entries.delete(key);
    loading.delete(key); // a look-up under way began before the change: its answer is given, but not remembered
  };
  const channel = `cache:${name}`;
  signals.listen(channel, invalidate);
  signals.onGap(() => {
    entries.clear();
    loading.clear();
  });

  const look = (key: string): Promise<V> => {
    const answer = load(key)
      .then((value) => {
        if (loading.get(key) === answer) entries.set(key, value);
        return value;
      })
      .finally(() => {
        if (loading.get(key) === answer) loading.delete(key);
      });
    loading.set(key, answer);
    return answer;
  };

  return {
    get: (key) => entries.get(key) ?? loading.get(key) ?? look(key),
    peek: (key) => entries.get(key),
    drop: (key) => {
      invalidate(key);
      signals.send(channel, key);
    },
  };
}
