import type { Valkey } from './valkey.ts';

export interface HourlyCount {
  member: string;
  count: number;
}

const hourMs = 3_600_000;
const retentionSeconds = 2 * 86_400;
/** Limits the members per hour and the buffer. A flood of members evicts the rarest ones. */
const maxMembers = 2_000;

/**
 * Counts per hour for operators, in sorted sets `<name>:<hour>`. Best effort: buffered for seconds and written in one batch,
 * so that a flood does not load Valkey.
 */
export function createHourlyCounts(valkey: Valkey, name: string, everyMs = 5_000) {
  let pending = new Map<string, number>();
  const keyOf = (at: number) => `${name}:${new Date(at).toISOString().slice(0, 13)}`;

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
    count: (member: string, by = 1): void => {
      const known = pending.get(member);
      if (known !== undefined || pending.size < maxMembers) pending.set(member, (known ?? 0) + by);
    },
    /** The highest counts of the last hours, including the current one. Throws while Valkey is down. */
    top: async (hours: number, max: number): Promise<HourlyCount[]> => {
      await flush();
      const keys = Array.from({ length: hours }, (_, n) => keyOf(Date.now() - n * hourMs));
      const flat = await valkey.zunion(keys.length, ...keys, 'WITHSCORES');
      const result: HourlyCount[] = [];
      for (let n = 0; n < flat.length; n += 2) result.push({ member: flat[n] ?? '', count: Number(flat[n + 1]) });
      return result.sort((a, b) => b.count - a.count).slice(0, max);
    },
    stop: (): void => clearInterval(flushing),
  };
}
