import type { Services } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import { channelsOfLane, parseHints } from '../../../platform/lane-hints.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { Log } from '../../../platform/telemetry.ts';
import type { Signals } from '../../../platform/valkey.ts';
import { cellBacklog } from './backlog.cross-tenant.ts';
import { createDispatcher } from './dispatcher.ts';
import { allHeads, newHeads } from './lanes.cross-tenant.ts';
import { createOwnership, type Ownership } from './ownership.ts';

interface LaneDeps {
  services: Services;
  /** Renews the lease, and nothing else. */
  leaseDb: Db;
  signals: Signals;
  fetch: SafeFetch;
  log: Log;
  /** A power of two, and the same for all workers. */
  laneCount: number;
  /** A worker that is gone is replaced after its lease. */
  leaseMs?: number;
  renewEveryMs?: number;
  /** How often to look for what became due, in case a hint was lost, and for everything. */
  lookEveryMs?: number;
  lookForAllEveryMs?: number;
}

/** Sent when a worker gives lanes back, so that others take them immediately. */
const freeLanes = 'lanes-free';

/** Takes a fair share of the delivery lanes, and delivers what is due to their endpoints. */
export function startLanes({
  services,
  leaseDb,
  signals,
  fetch,
  log,
  laneCount,
  leaseMs = 2_000,
  renewEveryMs = 650,
  lookEveryMs = 10_000,
  lookForAllEveryMs = 60_000,
}: LaneDeps) {
  const { db, notify } = services;
  let isStopping = false;
  const dispatcher = createDispatcher({ services, fetch, log, laneCount, ownership: () => ownership });

  const onHints = (message: string) => parseHints(message).forEach(dispatcher.hint);
  const watched = new Map<string, { lanes: Set<number>; isListening: Promise<void>; stop(): void }>();
  /** Resolves when hints about the lane arrive, or immediately while Valkey is down. */
  function watch(lane: number) {
    return channelsOfLane(lane, laneCount).map((channel) => {
      const known = watched.get(channel) ?? { lanes: new Set<number>(), ...signals.watch(channel, onHints) };
      watched.set(channel, known);
      known.lanes.add(lane);
      return known.isListening;
    });
  }
  function unwatch(lane: number) {
    for (const channel of channelsOfLane(lane, laneCount)) {
      const known = watched.get(channel);
      known?.lanes.delete(lane);
      if (known?.lanes.size !== 0) continue;
      watched.delete(channel);
      known.stop();
    }
  }

  const retrying = new Set<typeof allHeads>();
  const look = async (find: typeof allHeads, lanes = ownership.lanes()) => {
    if (lanes.length === 0) return;
    try {
      dispatcher.found(await find(db, lanes, laneCount));
    } catch (error) {
      // Once for any number of failures, for all lanes.
      if (isStopping || retrying.has(find)) return;
      retrying.add(find);
      log.warn({ err: error }, 'looking for due deliveries failed; retrying');
      const retry = () => {
        retrying.delete(find);
        void look(find);
      };
      setTimeout(retry, 1_000).unref();
    }
  };

  const ownership: Ownership = createOwnership({
    db: leaseDb,
    log,
    laneCount,
    leaseMs,
    everyMs: renewEveryMs,
    onTaken: (lanes) => {
      log.info({ worker: ownership.worker(), lanes: lanes.length }, 'took delivery lanes');
      // Hints first: what is committed afterwards is announced, and what was before is found.
      void Promise.all(lanes.flatMap(watch)).then(() => look(allHeads, [...lanes]));
    },
    onLost: (lane) => {
      unwatch(lane);
      dispatcher.loseLane(lane);
    },
    onRenewed: dispatcher.resume,
    onLeaving: dispatcher.leaveLanes,
    onGiven: () => notify(freeLanes, ''),
    workOf: dispatcher.workOf,
  });
  const free = signals.watch(freeLanes, () => ownership.wake());
  const stopGap = signals.onGap(() => {
    dispatcher.invalidateSettings();
    void look(allHeads);
  });
  const looking = [
    setInterval(() => void look(newHeads), lookEveryMs),
    setInterval(() => void look(allHeads), lookForAllEveryMs),
  ];

  return {
    lanes: ownership.lanes,
    served: ownership.served,
    takeOvers: ownership.takeOvers,
    backlog: dispatcher.backlog,
    oldestDueSeconds: dispatcher.oldestDueSeconds,
    cellBacklog: () => cellBacklog(db),
    /** Ends the requests in flight, stores their results, and gives the lanes back one by one. */
    async stop(graceMs = 20_000) {
      isStopping = true;
      looking.forEach(clearInterval);
      stopGap();
      await ownership.stop(graceMs);
      free.stop();
      for (const { stop } of watched.values()) stop();
      dispatcher.stop();
    },
  };
}
export type Lanes = ReturnType<typeof startLanes>;
