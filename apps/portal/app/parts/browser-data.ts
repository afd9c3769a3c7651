import { useEffect, useSyncExternalStore } from 'react';

const maxAgeMs = 60_000;
const checkMs = 10_000;

/**
 * Data that no page waits for: read by the browser, once for all components that use it, kept while the portal is open, and
 * read again when it is a minute old. Returns a hook, and a function to call after a change.
 */
export function browserData<T>(
  read: (key: string) => Promise<T>,
): [useData: (key?: string) => T | undefined, refresh: (key?: string) => Promise<void>] {
  const values = new Map<string, T>();
  const readAt = new Map<string, number>();
  const listeners = new Set<() => void>();
  const refresh = async (key = ''): Promise<void> => {
    const startedAt = Date.now();
    readAt.set(key, startedAt);
    const value = await read(key).catch(() => undefined);
    // If it failed, what is known stays until the next attempt. If another one has started since, that is newer.
    if (value === undefined || readAt.get(key) !== startedAt) return;
    values.set(key, value);
    for (const listener of listeners) listener();
  };
  const refreshIfOld = (key: string) => {
    const isOld = Date.now() - (readAt.get(key) ?? 0) >= maxAgeMs;
    if (isOld && document.visibilityState === 'visible') void refresh(key);
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  /** Undefined until it was read, and always on the server. */
  function useData(key = ''): T | undefined {
    useEffect(() => {
      refreshIfOld(key);
      const timer = setInterval(() => refreshIfOld(key), checkMs);
      return () => clearInterval(timer);
    }, [key]);
    return useSyncExternalStore<T | undefined>(
      subscribe,
      () => values.get(key),
      () => undefined,
    );
  }
  return [useData, refresh];
}

interface ListResponse<T> {
  data?: { data: T[] };
  response: Response;
}

/** The rows of a list. None if the member may not see it. */
export async function rowsOf<T>(request: Promise<ListResponse<T>>): Promise<T[]> {
  const { data, response } = await request;
  if (data) return data.data;
  if (response.status === 403) return [];
  throw new Error(String(response.status));
}
