import { Gauge, type Registry } from 'prom-client';
import { createGauge, reuse, reuseMs } from './gauges.ts';
import { secondsSince } from './histogram.ts';

type Component = 'postgresql' | 'valkey' | 'restate' | 'mail';

/** A component that responds more slowly counts as down. Shorter than the timeout of a scrape. */
const timeoutMs = 2_000;

interface Probe {
  check: () => Promise<unknown>;
  everyMs?: number;
}

/** Whether this process reaches the servers it depends on. Each is asked once in 15 s, only while something scrapes. */
export function createComponentMetrics(registry: Registry) {
  const probes = new Map<Component, () => Promise<number | undefined>>();
  const latency = new Gauge({
    name: 'parley_component_latency_seconds',
    help: 'Time of the last check of a component; absent while it is down.',
    labelNames: ['component'],
    registers: [registry],
  });
  const upGauge = { name: 'parley_component_up', help: 'Whether this process reaches a component: 1 or 0.' };
  createGauge(registry, { ...upGauge, labelNames: ['component'] }, async (up) => {
    await Promise.all(
      [...probes].map(async ([component, probe]) => {
        const seconds = await probe();
        up.set({ component }, seconds === undefined ? 0 : 1);
        if (seconds === undefined) latency.remove({ component });
        else latency.set({ component }, seconds);
      }),
    );
  });
  return {
    add: (component: Component, { check, everyMs = reuseMs }: Probe) => {
      probes.set(
        component,
        reuse(() => timed(check), { everyMs }),
      );
    },
  };
}
export type ComponentMetrics = ReturnType<typeof createComponentMetrics>;

async function timed(check: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), timeoutMs);
  });
  try {
    await Promise.race([check(), limit]);
    return secondsSince(startedAt);
  } finally {
    clearTimeout(timer);
  }
}
