import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/telemetry.ts';
import * as store from './ownership.store.ts';

interface OwnershipDeps {
  db: Db;
  log: Log;
  laneCount: number;
  leaseMs: number;
  everyMs: number;
  onTaken(lanes: readonly number[]): void;
  /** Its work must be dropped: another worker may have it. */
  onLost(lane: number): void;
  /** How much a lane has in memory. One that is given back is given when it has nothing. */
  workOf(lane: number): number;
  /** Its lanes take work again, after the lease could not be renewed for a while. */
  onRenewed(): void;
  /** Lanes are to be given back: they take no more work. */
  onLeaving(): void;
  /** Lanes were given back, for others to take. */
  onGiven(): void;
}

/**
 * Keeps the lease of this worker, takes lanes up to its fair share, and gives back what is above it. A worker whose lease
 * ended starts over with another id: what it had claimed belongs to others.
 */
export function createOwnership(deps: OwnershipDeps) {
  const { db, log, laneCount, leaseMs, everyMs } = deps;
  const owned = new Set<number>();
  /** Takes no more work, and is given back when it has none. */
  const leaving = new Set<number>();
  let worker: string | undefined;
  let renewedAt = -Infinity;
  let takeOvers = 0;
  let isStopping = false;
  let isForced = false;
  let wakeUp = () => {};

  const isFresh = () => performance.now() - renewedAt < leaseMs * 0.9;

  /** Returns false if the lease had ended. */
  async function renew(): Promise<boolean> {
    const leaseSeconds = leaseMs / 1_000;
    const startedAt = performance.now();
    worker ??= await store.addWorker(db, laneCount, leaseSeconds);
    const given = [...leaving].filter((lane) => deps.workOf(lane) === 0);
    const renewal = { worker, laneCount, leaseSeconds, isLeaving: isStopping, given };
    const result = await store.renewWorker(db, renewal);
    if (!result) {
      log.warn({ lanes: owned.size }, 'delivery lanes lost: the lease of this worker ended');
      worker = undefined;
      for (const lane of owned) lose(lane);
      return false;
    }
    const wasFresh = isFresh();
    renewedAt = startedAt;
    const now = new Set(result.lanes);
    for (const lane of owned) if (!now.has(lane)) lose(lane);
    const taken = result.lanes.filter((lane) => !owned.has(lane));
    for (const lane of taken) owned.add(lane);
    takeOvers += taken.length;
    if (given.length > 0) deps.onGiven();
    if (taken.length > 0) deps.onTaken(taken);
    giveBack(isStopping ? 0 : result.share);
    if (!wasFresh) deps.onRenewed();
    return true;
  }

  function lose(lane: number) {
    owned.delete(lane);
    leaving.delete(lane);
    deps.onLost(lane);
  }

  /** Those with the least work first. If a worker has left meanwhile, lanes are kept. */
  function giveBack(share: number) {
    const kept = [...owned].filter((lane) => !leaving.has(lane));
    const byWork = kept.toSorted((a, b) => deps.workOf(a) - deps.workOf(b));
    const surplus = byWork.slice(0, Math.max(0, kept.length - share));
    for (const lane of surplus) leaving.add(lane);
    const again = [...leaving].slice(0, Math.max(0, share - kept.length));
    for (const lane of again) leaving.delete(lane);
    if (surplus.length > 0) deps.onLeaving();
    if (again.length > 0) deps.onRenewed();
    if ([...leaving].some((lane) => deps.workOf(lane) === 0)) wakeUp();
  }

  let isWoken = false;
  const isOver = () => isStopping && owned.size === 0;
  const running = (async () => {
    while (!isOver()) {
      isWoken = false;
      let waitMs = everyMs;
      const isCurrent = await renew().catch((error: unknown) => {
        log.warn({ err: error }, 'renewing the lease of delivery lanes failed; retrying');
        waitMs = Math.min(everyMs, 200);
        if (isForced) owned.clear(); // then the lease ends
        return true;
      });
      if (!isCurrent || isWoken) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wakeUp = () => void (isWoken = true);
    }
  })();
  wakeUp = () => void (isWoken = true);

  return {
    worker: () => worker ?? '0',
    owns: (lane: number) => owned.has(lane),
    isLeaving: (lane: number) => leaving.has(lane),
    /** Whether requests of the lane may start: it is ours, as far as we know, and stays so. */
    takesWork: (lane: number) => owned.has(lane) && !leaving.has(lane) && isFresh(),
    lanes: () => [...owned],
    /** How many it may deliver from: none while it can't renew its lease, because others may have them. */
    served: () => (isFresh() ? owned.size : 0),
    takeOvers: () => takeOvers,
    /** Renews now: after a lane was lost or given back, here or elsewhere. */
    wake: () => wakeUp(),
    /** Gives back each lane as soon as it has no work, or all of them after this time. */
    async stop(graceMs: number) {
      isStopping = true;
      const force = setTimeout(() => {
        isForced = true;
        for (const lane of owned) deps.onLost(lane);
        wakeUp();
      }, graceMs);
      wakeUp();
      await running.finally(() => clearTimeout(force));
    },
  };
}
export type Ownership = ReturnType<typeof createOwnership>;
