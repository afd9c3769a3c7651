import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './errors.ts';
import { createCounter } from './metrics/instruments.ts';
import type { Valkey } from './valkey.ts';

/** A number of requests per time window, counted per `key`. Features declare their own. */
export interface RatePolicy {
  name: string;
  points: number;
  seconds: number;
}

export interface RateState {
  policy: RatePolicy;
  remaining: number;
  resetSeconds: number;
  /** Requests counted in this window, including the current one. */
  consumed?: number;
}

/** `tenantId` is for the usage report of operators. `points`: how many requests to count, 1 by default. */
export type Consume = (policy: RatePolicy, key: string, tenantId?: string, points?: number) => Promise<RateState>;

/**
 * Counts in Valkey, so that all nodes share one limit. While Valkey is down, each process counts on its own with a quarter
 * of the limit, so that there is still some protection and no request fails.
 */
export function createRateLimits(
  valkey: Valkey,
  prefix: string,
  onLimited: (policy: string, tenantId: string | undefined) => void = () => {},
): Consume {
  const limiters = new Map<string, RateLimiterRedis>();
  const limiterFor = (policy: RatePolicy) => {
    const { name, points, seconds: duration } = policy;
    // Plans differ in their points. All of them count under the same name, so that a new plan does not reset the count.
    const existing = limiters.get(`${name} ${points}`);
    if (existing) return existing;
    const limiter = new RateLimiterRedis({
      storeClient: valkey,
      keyPrefix: `${prefix}rate:${name}`,
      points,
      duration,
      // Rejected callers cause no Valkey commands until their window ends.
      inMemoryBlockOnConsumed: points + 1,
      insuranceLimiter: new RateLimiterMemory({
        keyPrefix: name,
        points: Math.max(1, Math.floor(points / 4)),
        duration,
      }),
    });
    limiters.set(`${name} ${points}`, limiter);
    return limiter;
  };

  return async (policy, key, tenantId, points = 1) => {
    const state = ({ remainingPoints, msBeforeNext, consumedPoints }: RateLimiterRes): RateState => ({
      policy,
      consumed: consumedPoints,
      remaining: Math.max(0, remainingPoints),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    });
    try {
      return state(await limiterFor(policy).consume(key, points));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      onLimited(policy.name, tenantId);
      throw new RateLimited(state(error));
    }
  };
}

const limited = createCounter(
  'parley_rate_limited_requests_total',
  'Requests that a rate limit refused, by its name.',
  {
    limit: [],
  },
);

export class RateLimited extends AppError {
  readonly state: RateState;

  constructor(state: RateState) {
    limited.inc({ limit: state.policy.name }); // one is created for each request that is refused
    super('RATE_LIMITED', 'too_many_requests', `Too many requests. Try again in ${state.resetSeconds} s.`);
    this.state = state;
  }
}

/** The IETF rate limit headers. https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ */
export const rateHeaders = ({ policy, remaining, resetSeconds }: RateState) => ({
  'ratelimit-policy': `"${policy.name}";q=${policy.points};w=${policy.seconds}`,
  ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
});

/** The rate limit key of an IP address. An IPv6 /64 belongs to one customer, so it shares one count. */
export function ipKey(ip: string): string {
  const plain = plainIp(ip);
  return isIPv6(plain) ? `${groupsOf(plain, 4)}::/64` : plain;
}

/** The network of an IP address: a /24 for IPv4 or a /48 for IPv6, which providers assign to one customer. */
export function networkKey(ip: string): string {
  const plain = plainIp(ip);
  return isIPv6(plain) ? `${groupsOf(plain, 3)}::/48` : `${plain.split('.').slice(0, 3).join('.')}.0/24`;
}

const plainIp = (ip: string) => (ip.startsWith('::ffff:') ? ip.slice(7) : ip);

/** The first groups of an IPv6 address without leading zeros. */
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
