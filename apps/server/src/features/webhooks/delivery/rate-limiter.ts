import { LRUCache } from 'lru-cache';

/** So many may come at once before the rest is spread: a tenth of a second's worth. */
const burstOf = (perSecond: number) => Math.max(1, Math.floor(perSecond / 10));

/** What each endpoint has used of its rate. Kept by the worker that delivers to it, and it is one at a time. */
export function createRateLimiter(now = () => Date.now()) {
  /** When the next call would be due if they were spread evenly. */
  const dueAt = new LRUCache<string, number>({ max: 20_000, ttl: 3_600_000 });
  return {
    /** How many may go now, up to `want`. */
    room(endpoint: string, perSecond: number, want: number): number {
      const every = 1_000 / perSecond;
      const ahead = Math.max(0, (dueAt.get(endpoint) ?? 0) - now());
      return Math.max(0, Math.min(want, Math.floor(burstOf(perSecond) - ahead / every + 1e-6)));
    },
    /** These are going. */
    use(endpoint: string, perSecond: number, count: number) {
      dueAt.set(endpoint, Math.max(now(), dueAt.get(endpoint) ?? 0) + (count * 1_000) / perSecond);
    },
    /** Until there is room for one. */
    waitMs(endpoint: string, perSecond: number): number {
      const ahead = (dueAt.get(endpoint) ?? 0) - now();
      return Math.max(0, Math.ceil(ahead - (burstOf(perSecond) - 1) * (1_000 / perSecond)));
    },
  };
}
export type RateLimiter = ReturnType<typeof createRateLimiter>;
