import { createHash } from 'node:crypto';

const rememberMs = 30_000;

/**
 * One refresh for each refresh token, however many requests want it at once, and its outcome for half a minute: a tab
 * that comes late with the old cookie gets the same pair. The service's own grace of 30 s does the same between processes.
 */
export function createRefreshing<T>(refresh: (token: string) => Promise<T>, now = Date.now) {
  const known = new Map<string, { outcome: Promise<T>; until: number }>();
  return (token: string): Promise<T> => {
    for (const [key, { until }] of known) if (until <= now()) known.delete(key);
    const key = createHash('sha256').update(token).digest('base64');
    const found = known.get(key);
    if (found) return found.outcome;
    const outcome = refresh(token);
    known.set(key, { outcome, until: now() + rememberMs });
    outcome.catch(() => known.delete(key)); // what failed on the way is tried again
    return outcome;
  };
}
