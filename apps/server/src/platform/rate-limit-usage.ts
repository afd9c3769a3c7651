import { createHourlyCounts } from './hourly-counts.ts';
import type { Valkey } from './valkey.ts';

/** How often a tenant was rejected by a rate limit. */
export interface RateLimitRejections {
  /** null: the tenant was not known, such as for a limit by IP address. */
  tenantId: string | null;
  policy: string;
  refused: number;
}

export interface RateLimitUsage {
  record(policy: string, tenantId: string | undefined): void;
  /** The most frequent rejections of the last hours, including the current one. Throws while Valkey is down. */
  top(hours: number, max: number): Promise<RateLimitRejections[]>;
  stop(): void;
}

/** Counts rejections for operators, by tenant and policy. */
export function createRateLimitUsage(valkey: Valkey, prefix: string): RateLimitUsage {
  const counts = createHourlyCounts(valkey, `${prefix}refusals`);
  return {
    record: (policy, tenantId) => counts.count(`${tenantId ?? '-'}|${policy}`),
    top: async (hours, max) =>
      (await counts.top(hours, max)).map(({ member, count }) => {
        const [tenant = '-', policy = ''] = member.split('|');
        return { tenantId: tenant === '-' ? null : tenant, policy, refused: count };
      }),
    stop: counts.stop,
  };
}
