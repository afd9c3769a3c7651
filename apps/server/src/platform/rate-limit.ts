import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './errors.ts';
import type { Valkey } from './valkey.ts';

/** So many in so long, counted for each `key`. Features declare theirs beside the routes that name them. */
export interface RatePolicy {
  name: string;
  points: number;
  seconds: number;
}

export interface RateState {
  policy: RatePolicy;
  remaining: number;
  resetSeconds: number;
  /** How many were counted in this window, this one included. */
  consumed?: number;
}

/** The tenant it is counted for, where one is known and the key is another: operators see who is refused most. */
export type Consume = (policy: RatePolicy, key: string, tenantId?: string) => Promise<RateState>;

/**
 * Counts in Valkey, so that all nodes share one limit. While Valkey is away each process keeps a bucket of its own, a
 * quarter of the size: some protection everywhere rather than none, and no request fails for it.
 */
export function createRateLimits(
  valkey: Valkey,
  prefix: string,
  onLimited: (policy: string, tenantId: string | undefined) => void = () => {},
): Consume {
  const limiters = new Map<string, RateLimiterRedis>();
  const limiterFor = (policy: RatePolicy) => {
    const known = limiters.get(policy.name);
    if (known) return known;
    const { name, points, seconds: duration } = policy;
    const limiter = new RateLimiterRedis({
      storeClient: valkey,
      keyPrefix: `${prefix}rate:${name}`,
      points,
      duration,
      // Refused callers cost Valkey nothing until their window ends.
      inMemoryBlockOnConsumed: points + 1,
      insuranceLimiter: new RateLimiterMemory({
        keyPrefix: name,
        points: Math.max(1, Math.floor(points / 4)),
        duration,
      }),
    });
    limiters.set(name, limiter);
    return limiter;
  };

  return async (policy, key, tenantId) => {
    const state = ({ remainingPoints, msBeforeNext, consumedPoints }: RateLimiterRes): RateState => ({
      policy,
      consumed: consumedPoints,
      remaining: Math.max(0, remainingPoints),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    });
    try {
      return state(await limiterFor(policy).consume(key));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      onLimited(policy.name, tenantId);
      throw new RateLimited(state(error));
    }
  };
}

export class RateLimited extends AppError {
  readonly state: RateState;

  constructor(state: RateState) {
    super('RATE_LIMITED', 'too_many_requests', `Too many requests. Try again in ${state.resetSeconds} s.`);
    this.state = state;
  }
}

/** The IETF's header fields, from one state. https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ */
export const rateHeaders = ({ policy, remaining, resetSeconds }: RateState) => ({
  'ratelimit-policy': `"${policy.name}";q=${policy.points};w=${policy.seconds}`,
  ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
});

/** What an address counts as: all of an IPv6 /64 is one customer's line, so it shares one count. */
export function ipKey(ip: string): string {
  const plain = plainIp(ip);
  return isIPv6(plain) ? `${groupsOf(plain, 4)}::/64` : plain;
}

/** The network of an address: what one provider gives to one customer at a time, a /24 of IPv4 or a /48 of IPv6. */
export function networkKey(ip: string): string {
  const plain = plainIp(ip);
  return isIPv6(plain) ? `${groupsOf(plain, 3)}::/48` : `${plain.split('.').slice(0, 3).join('.')}.0/24`;
}

const plainIp = (ip: string) => (ip.startsWith('::ffff:') ? ip.slice(7) : ip);

/** The first groups of an IPv6 address, each in its shortest form. */
function groupsOf(ip: string, count: number): string {
  const [head = '', tail] = ip.split('::');
  const start = head ? head.split(':') : [];
  const end = tail ? tail.split(':') : [];
  const all =
    tail === undefined ? start : [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end];
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
