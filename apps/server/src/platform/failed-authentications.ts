import { LRUCache } from 'lru-cache';
import type { RequestInfo } from './context.ts';
import { InvalidCredential } from './errors.ts';
import { ipKey, RateLimited, type Consume, type RateState } from './rate-limit.ts';

export interface FailedAuthentications {
  /** Called before a credential that is not known to be valid costs a query. Throws 429 if its IP address has failed too often. */
  assertAllowed(ip: string): void;
  /** Rethrows an error, or 429 instead of it. Counts it first if it is about an invalid credential. */
  rethrow(error: unknown, requestInfo: Pick<RequestInfo, 'ip' | 'setRateState'>): Promise<never>;
}

/**
 * Limits invalid credentials per IP address. Valid ones are never counted. Those that can be verified without a query, and
 * those that were valid before, are still accepted above the limit, because many tenants can share an IP address (ADR 50).
 */
export function createFailedAuthentications(
  consume: Consume,
  perMinute: number,
  onLimited: (policy: string, tenantId: undefined) => void,
): FailedAuthentications {
  const policy = { name: 'failed-authentications', points: perMinute, seconds: 60 };
  /** The end of the window, by IP address that has failed too often. Each process learns it from its next failure there. */
  const exhausted = new LRUCache<string, number>({ max: 10_000 });

  const count = async (ip: string): Promise<RateState> => {
    const key = ipKey(ip);
    const exhaust = ({ resetSeconds }: RateState) => exhausted.set(key, Date.now() + resetSeconds * 1_000);
    try {
      const state = await consume(policy, key);
      if (state.remaining === 0) exhaust(state);
      return state;
    } catch (error) {
      if (error instanceof RateLimited) exhaust(error.state);
      throw error;
    }
  };

  return {
    assertAllowed: (ip) => {
      const leftMs = (exhausted.get(ipKey(ip)) ?? 0) - Date.now();
      if (leftMs <= 0) return;
      onLimited(policy.name, undefined);
      throw new RateLimited({ policy, remaining: 0, resetSeconds: Math.ceil(leftMs / 1_000) });
    },
    rethrow: async (error, { ip, setRateState }) => {
      if (error instanceof InvalidCredential) setRateState?.(await count(ip));
      throw error;
    },
  };
}
