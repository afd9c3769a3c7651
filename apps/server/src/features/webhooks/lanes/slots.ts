/** A request that takes longer leaves its place to others, up to a limit. */
const slowMs = 1_000;
/** What an endpoint without a recent success may have in flight. */
const unprovenMax = 2;
/** Time for which a success counts. */
const provenMs = 600_000;

/** An endpoint, as far as it matters here. */
export interface SlotUser {
  tenantId: string;
  inFlight: number;
  /** Of these, the slow ones. */
  slow: number;
  /** What its health allows. */
  concurrency: number;
  isFailing: boolean;
  lastSuccessMs: number;
}

/**
 * Limits the concurrent requests of one worker, so that neither a flood nor receivers that hang slow down others:
 *
 * - No tenant gets more than a quarter.
 * - An endpoint that hasn't succeeded lately, or hangs, gets two, and all of those together half.
 * - Failing endpoints leave a fifth.
 * - The last fifth is for endpoints that have succeeded lately and have less than two requests in flight.
 * - A request that has taken a second no longer counts, up to as many as twice the limit.
 */
export function createSlots(max = 200, now = () => Date.now()) {
  const perTenant = Math.max(1, Math.floor(max / 4));
  const forUnproven = Math.max(1, Math.floor(max / 2));
  const reserve = Math.floor(max / 5);
  const maxSlow = max * 2;
  const inUseByTenant = new Map<string, number>();
  /** Requests that are not slow yet, oldest first. */
  const quick = new Map<symbol, { user: SlotUser; startedAt: number; isUnproven: boolean }>();
  let slow = 0;
  let unproven = 0;
  /** Updated for each look at what is free, which may compare many endpoints. */
  let time = now();

  const isProven = ({ lastSuccessMs, slow: ownSlow }: SlotUser) =>
    time - lastSuccessMs < provenMs && (ownSlow < unprovenMax || time - lastSuccessMs < slowMs);

  function moveSlow() {
    for (const [id, { user, startedAt, isUnproven }] of quick) {
      if (time - startedAt < slowMs || slow >= maxSlow) return;
      quick.delete(id);
      slow++;
      user.slow++;
      if (isUnproven) unproven--;
    }
  }

  /** What its health and its record allow, whatever others do. */
  const capOf = (user: SlotUser) => (isProven(user) ? user.concurrency : Math.min(unprovenMax, user.concurrency));

  function available(user: SlotUser): number {
    const free = max - quick.size;
    const isGood = isProven(user);
    const room = Math.min(
      capOf(user) - user.inFlight,
      perTenant - (inUseByTenant.get(user.tenantId) ?? 0),
      user.isFailing ? free - reserve : free,
    );
    if (!isGood) return Math.min(room, free - reserve, forUnproven - unproven);
    return Math.min(room, Math.max(free - reserve, unprovenMax - user.inFlight));
  }

  return {
    hasFree: () => quick.size < max,
    /** Notes the time, and which requests have become slow. */
    refresh() {
      time = now();
      moveSlow();
    },
    capOf,
    isProven,
    /** How many requests to this endpoint may start now. */
    available: (user: SlotUser) => Math.max(0, available(user)),
    /** Starts a request, and returns what ends it. */
    start(user: SlotUser): () => void {
      const id = Symbol();
      const isUnproven = !isProven(user);
      quick.set(id, { user, startedAt: time, isUnproven });
      if (isUnproven) unproven++;
      user.inFlight++;
      inUseByTenant.set(user.tenantId, (inUseByTenant.get(user.tenantId) ?? 0) + 1);
      return () => {
        if (quick.delete(id)) unproven -= isUnproven ? 1 : 0;
        else {
          slow--;
          user.slow--;
        }
        user.inFlight--;
        const left = (inUseByTenant.get(user.tenantId) ?? 0) - 1;
        if (left > 0) inUseByTenant.set(user.tenantId, left);
        else inUseByTenant.delete(user.tenantId);
      };
    },
    inUse: () => quick.size + slow,
  };
}
export type Slots = ReturnType<typeof createSlots>;
