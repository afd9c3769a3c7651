import { LRUCache } from 'lru-cache';

/** Burst size: a tenth of a second's worth of requests. */
const burstOf = (perSecond: number) => Math.max(1, Math.floor(perSecond / 10));

/** Rate limit per endpoint. In memory, because only one worker delivers to an endpoint at a time. */
export function createRateLimiter(now = () => Date.now()) {
  /** When the next request would be due if they were spread evenly. */
  const dueAt = new LRUCache<string, number>({ max: 20_000, ttl: 3_600_000 });
  return {
    /** How many requests are allowed now, up to `max`. */
    available(endpoint: string, perSecond: number, max: number): number {
      const every = 1_000 / perSecond;
      const ahead = Math.max(0, (dueAt.get(endpoint) ?? 0) - now());
      return Math.max(0, Math.min(max, Math.floor(burstOf(perSecond) - ahead / every + 1e-6)));
    },
    consume(endpoint: string, perSecond: number, count: number) {
      dueAt.set(endpoint, Math.max(now(), dueAt.get(endpoint) ?? 0) + (count * 1_000) / perSecond);
    },
    /** Time until the next request is allowed. */
    waitMs(endpoint: string, perSecond: number): number {
      const ahead = (dueAt.get(endpoint) ?? 0) - now();
      return Math.max(0, Math.ceil(ahead - (burstOf(perSecond) - 1) * (1_000 / perSecond)));
    },
  };
}
export type RateLimiter = ReturnType<typeof createRateLimiter>;
