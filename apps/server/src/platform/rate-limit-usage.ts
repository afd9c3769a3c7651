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

const hourMs = 3_600_000;
const retentionSeconds = 2 * 86_400;
/** Limits the members per hour and the buffer. A flood of members evicts the rarest ones. */
const maxMembers = 2_000;

/**
 * Counts rejections per hour for operators, in sorted sets `refusals:<hour>` whose members are `tenant|policy`. Best
 * effort: buffered for seconds and written in one batch, so that a flood does not load Valkey.
 */
export function createRateLimitUsage(valkey: Valkey, prefix: string, everyMs = 5_000): RateLimitUsage {
  let pending = new Map<string, number>();
  const keyOf = (at: number) => `${prefix}refusals:${new Date(at).toISOString().slice(0, 13)}`;

  const flush = async () => {
    if (pending.size === 0) return;
    const counts = pending;
    pending = new Map();
    const key = keyOf(Date.now());
    const writing = valkey.pipeline();
    for (const [member, count] of counts) writing.zincrby(key, count, member);
    writing.zremrangebyrank(key, 0, -maxMembers - 1).expire(key, retentionSeconds);
    await writing.exec();
  };
  const flushing = setInterval(() => void flush().catch(() => {}), everyMs);
  flushing.unref();

  return {
    record: (policy, tenantId) => {
      const member = `${tenantId ?? '-'}|${policy}`;
      const count = pending.get(member);
      if (count !== undefined || pending.size < maxMembers) pending.set(member, (count ?? 0) + 1);
    },
    top: async (hours, max) => {
      await flush();
      const keys = Array.from({ length: hours }, (_, n) => keyOf(Date.now() - n * hourMs));
      const flat = await valkey.zunion(keys.length, ...keys, 'WITHSCORES');
      const result: RateLimitRejections[] = [];
      for (let n = 0; n < flat.length; n += 2) {
        const [tenant = '-', policy = ''] = (flat[n] ?? '').split('|');
        result.push({ tenantId: tenant === '-' ? null : tenant, policy, refused: Number(flat[n + 1]) });
      }
      return result.sort((a, b) => b.refused - a.refused).slice(0, max);
    },
    stop: () => clearInterval(flushing),
  };
}
