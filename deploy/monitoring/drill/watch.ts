import { setTimeout as sleep } from 'node:timers/promises';
import type { Monitoring } from './monitoring.ts';
import { nameOf } from './pager.ts';

const everyMs = 500;

/** Everything that fires, as Alertmanager has it, from now on. */
export function watchAlerts(monitoring: Pick<Monitoring, 'alerts'>) {
  /** When each alert was first seen, and whether it was ever not silenced by its cause. */
  const seen = new Map<string, { at: number; wasHeard: boolean }>();
  let firing = new Set<string>();
  const stopping = new AbortController();

  const look = async () => {
    const alerts = await monitoring.alerts();
    firing = new Set(alerts.map(({ labels }) => nameOf(labels)));
    for (const { labels, isInhibited } of alerts) {
      const name = nameOf(labels);
      const known = seen.get(name) ?? { at: Date.now(), wasHeard: false };
      seen.set(name, { ...known, wasHeard: known.wasHeard || !isInhibited });
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => {}); // it starts again between faults
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    seen: () => new Map(seen),
    firing: () => new Set(firing),
    isFiring: (name: string) => firing.has(name),
    clear: () => seen.clear(),
    /** Resolves with the names for which it did not become true in time. */
    until: async (names: readonly string[], isTrue: (name: string) => boolean, limitMs: number): Promise<string[]> => {
      const endsAt = Date.now() + limitMs;
      for (;;) {
        const left = names.filter((name) => !isTrue(name));
        if (left.length === 0 || Date.now() > endsAt) return left;
        await sleep(everyMs);
      }
    },
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
export type AlertWatch = ReturnType<typeof watchAlerts>;
