/**
 * Limits the concurrent requests of one worker. Tenants take turns, no tenant gets more than a quarter, and failing endpoints
 * leave a fifth to healthy ones, so that neither a flood nor a hanging receiver slows down others.
 */
export function createConcurrencyLimiter(max = 200) {
  const perTenant = Math.max(1, Math.floor(max / 4));
  const forFailing = Math.max(1, Math.floor(max * 0.8));
  const inUseByTenant = new Map<string, number>();
  /** Waiters by tenant, in round-robin order. */
  const waiting = new Map<string, Waiter[]>();
  let inUse = 0;

  const availableTo = (tenantId: string, isFailing: boolean) =>
    Math.min((isFailing ? forFailing : max) - inUse, perTenant - (inUseByTenant.get(tenantId) ?? 0));
  const grant = (tenantId: string, count: number) => {
    inUse += count;
    inUseByTenant.set(tenantId, (inUseByTenant.get(tenantId) ?? 0) + count);
  };

  function grantWaiting() {
    for (const [tenantId, waiters] of waiting) {
      const [first] = waiters;
      if (!first || availableTo(tenantId, first.isFailing) <= 0) continue;
      waiting.delete(tenantId);
      if (waiters.length > 1) waiting.set(tenantId, waiters.slice(1));
      const count = Math.min(first.requested, availableTo(tenantId, first.isFailing));
      grant(tenantId, count);
      first.resolve(count);
    }
  }

  function removeWaiter(tenantId: string, waiter: Waiter) {
    const waiters = waiting.get(tenantId)?.filter((other) => other !== waiter) ?? [];
    if (waiters.length > 0) waiting.set(tenantId, waiters);
    else waiting.delete(tenantId);
  }

  return {
    /** Grants up to `requested` slots. If none is free, waits up to `waitMs`, then resolves to 0. */
    acquire(tenantId: string, requested: number, isFailing: boolean, waitMs: number): Promise<number> {
      // Every release offers free slots to the waiters first, so none of them could use what is free here.
      const free = Math.min(requested, availableTo(tenantId, isFailing));
      if (free > 0) grant(tenantId, free);
      if (free > 0 || waitMs <= 0) return Promise.resolve(Math.max(0, free));
      return new Promise((resolve) => {
        const grantSlots = (count: number) => {
          clearTimeout(timeout);
          resolve(count);
        };
        const waiter: Waiter = { resolve: grantSlots, requested, isFailing };
        const timeout = setTimeout(() => {
          removeWaiter(tenantId, waiter);
          resolve(0);
        }, waitMs);
        waiting.set(tenantId, [...(waiting.get(tenantId) ?? []), waiter]);
        grantWaiting();
      });
    },
    release(tenantId: string, count: number) {
      inUse -= count;
      const left = (inUseByTenant.get(tenantId) ?? 0) - count;
      if (left > 0) inUseByTenant.set(tenantId, left);
      else inUseByTenant.delete(tenantId);
      grantWaiting();
    },
  };
}
export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

interface Waiter {
  resolve(count: number): void;
  requested: number;
  isFailing: boolean;
}
