import { LRUCache } from 'lru-cache';
import type { Consume, RatePolicy, RateState } from './rate-limit.ts';

/** Counts one read of a tenant. Synchronous most of the time. Throws `RateLimited` above the limit of its plan. */
export type ConsumeRead = (tenantId: string, perMinute: number) => RateState | Promise<RateState>;

/** Reads that a process has taken from the shared count in advance. */
interface Lease {
  policy: RatePolicy;
  left: number;
  /** What remained in the shared count. */
  remaining: number;
  endsAtMs: number;
}

/** A process takes this part of the limit at a time. What it doesn't use before the window ends is lost to the others. */
const share = 1 / 200;

/**
 * Limits reads per tenant. A Valkey command for each would cost more than many reads do, so a process takes several from the
 * shared count at a time and hands them out in memory (ADR 50). The limit is never exceeded, and 429 needs no command at all.
 */
export function createReadLimit(consume: Consume): ConsumeRead {
  const leases = new LRUCache<string, Lease>({ max: 10_000 });
  const renewals = new Map<string, Promise<void>>();

  const renew = (tenantId: string, policy: RatePolicy): Promise<void> => {
    const size = Math.max(1, Math.floor(policy.points * share));
    const renewal = consume(policy, tenantId, tenantId, size)
      .then(({ remaining, resetSeconds }) => {
        leases.set(tenantId, { policy, left: size, remaining, endsAtMs: Date.now() + resetSeconds * 1_000 });
      })
      .finally(() => renewals.delete(tenantId));
    renewals.set(tenantId, renewal);
    return renewal;
  };

  const consumeRead: ConsumeRead = (tenantId, perMinute) => {
    const lease = leases.get(tenantId);
    const leftMs = lease ? lease.endsAtMs - Date.now() : 0;
    // A lease of another limit ends: an operator changed the plan.
    if (lease && lease.left > 0 && leftMs > 0 && lease.policy.points === perMinute) {
      lease.left--;
      return {
        policy: lease.policy,
        remaining: lease.remaining + lease.left,
        resetSeconds: Math.ceil(leftMs / 1_000),
      };
    }
    const policy = { name: 'reads', points: perMinute, seconds: 60 };
    const renewal = renewals.get(tenantId) ?? renew(tenantId, policy);
    return renewal.then(() => consumeRead(tenantId, perMinute));
  };
  return consumeRead;
}
