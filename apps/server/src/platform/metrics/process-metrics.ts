import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { productVersion } from '../product-version.ts';
import { instruments } from './instruments.ts';

export type ProcessRole = 'api' | 'worker';

/** Visited every open handle on each scrape, or depended on who scrapes. `event-loop.ts` and open streams replace them. */
const replaced = /^nodejs_(eventloop_lag|active_)/;

/** The registry of one process. Every series has the process's role, so that panels and alerts can tell them apart. */
export function createMetrics(role: ProcessRole): Registry {
  const registry = new Registry();
  for (const one of [registry, instruments]) one.setDefaultLabels({ role });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  for (const { name } of registry.getMetricsAsArray()) if (replaced.test(name)) registry.removeSingleMetric(name);
  new Gauge({
    name: 'parley_build_info',
    help: 'Always 1; the label says which version this process runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: productVersion }, 1);
  return registry;
}

/** Everything that `/metrics` shows. */
export const metricsText = async (registry: Registry): Promise<string> =>
  (await Promise.all([registry, instruments].map((one) => one.metrics()))).join('\n');
