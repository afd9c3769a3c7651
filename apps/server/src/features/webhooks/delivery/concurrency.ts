/**
 * How many calls one worker makes at once, and who may make them. Tenants take turns, none has more than a quarter, and
 * endpoints that fail leave a fifth to those that do not: neither a flood nor a receiver that hangs is felt by others.
 */
export function createConcurrencyLimiter(max = 200) {
  const perTenant = Math.max(1, Math.floor(max / 4));
  const forFailing = Math.max(1, Math.floor(max * 0.8));
  const byTenant = new Map<string, number>();
  /** Those that wait, by tenant; a tenant that got its turn goes to the end. */
  const waiting = new Map<string, Wait[]>();
  let taken = 0;

  const freeFor = (tenantId: string, isFailing: boolean) =>
    Math.min((isFailing ? forFailing : max) - taken, perTenant - (byTenant.get(tenantId) ?? 0));
  const give = (tenantId: string, count: number) => {
    taken += count;
    byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + count);
  };

  function handOut() {
    for (const [tenantId, line] of waiting) {
      const [first] = line;
      if (!first || freeFor(tenantId, first.isFailing) <= 0) continue;
      waiting.delete(tenantId);
      if (line.length > 1) waiting.set(tenantId, line.slice(1));
      const count = Math.min(first.want, freeFor(tenantId, first.isFailing));
      give(tenantId, count);
      first.go(count);
    }
  }

  function leave(tenantId: string, wait: Wait) {
    const line = waiting.get(tenantId)?.filter((other) => other !== wait) ?? [];
    if (line.length > 0) waiting.set(tenantId, line);
    else waiting.delete(tenantId);
  }

  return {
    /** As many as are free, up to `want`; if none is, waits so long for some, and then has none. */
    take(tenantId: string, want: number, isFailing: boolean, waitMs: number): Promise<number> {
      // Whoever waits was offered all that is free with each that was given back: what is left, none of them may have.
      const free = Math.min(want, freeFor(tenantId, isFailing));
      if (free > 0) give(tenantId, free);
      if (free > 0 || waitMs <= 0) return Promise.resolve(Math.max(0, free));
      return new Promise((resolve) => {
        const go = (count: number) => {
          clearTimeout(timeout);
          resolve(count);
        };
        const wait: Wait = { go, want, isFailing };
        const timeout = setTimeout(() => {
          leave(tenantId, wait);
          resolve(0);
        }, waitMs);
        waiting.set(tenantId, [...(waiting.get(tenantId) ?? []), wait]);
        handOut();
      });
    },
    giveBack(tenantId: string, count: number) {
      taken -= count;
      const left = (byTenant.get(tenantId) ?? 0) - count;
      if (left > 0) byTenant.set(tenantId, left);
      else byTenant.delete(tenantId);
      handOut();
    },
  };
}
export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

interface Wait {
  go(count: number): void;
  want: number;
  isFailing: boolean;
}
