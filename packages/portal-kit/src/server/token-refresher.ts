import { createHash } from 'node:crypto';

const cacheMs = 30_000;

/**
 * Runs one refresh per refresh token for concurrent requests, and caches the result for 30 s for tabs that still send the
 * old cookie. Between processes, the service's own grace period of 30 s has the same effect.
 */
export function createTokenRefresher<T>(refresh: (token: string) => Promise<T>, now = Date.now) {
  const pending = new Map<string, { outcome: Promise<T>; until: number }>();
  return (token: string): Promise<T> => {
    for (const [key, { until }] of pending) if (until <= now()) pending.delete(key);
    const key = createHash('sha256').update(token).digest('base64');
    const existing = pending.get(key);
    if (existing) return existing.outcome;
    const outcome = refresh(token);
    pending.set(key, { outcome, until: now() + cacheMs });
    outcome.catch(() => pending.delete(key)); // failed refreshes are not cached
    return outcome;
  };
}
