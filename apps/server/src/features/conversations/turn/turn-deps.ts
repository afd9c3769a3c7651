import { Histogram, type Registry } from 'prom-client';
import type { Platform } from '../../../platform/platform.ts';
import { guardedFetch } from '../../../platform/safe-fetch-web.ts';
import { openEmbedder } from '../../knowledge/index.ts';
import type { ModelDeps } from './model-step.ts';
import { createVersions } from './versions.ts';

/** Dependencies of turns, in a worker. */
export const createTurnDeps = ({
  services,
  signals,
  config,
  safeFetch,
  tenantFetch,
  log,
  metrics,
}: Platform): ModelDeps => ({
  observeTurn: turnMetrics(metrics),
  sendsEmail: config.SMTP_URL !== undefined,
  services,
  signals,
  versions: createVersions(),
  models: config.MODELS.map(({ baseUrl = null, apiKey = null, ...model }) => ({ ...model, baseUrl, apiKey })),
  embedQuestion: openEmbedder({ config, safeFetch, log })?.embedQuestion,
  fetch: { deployment: guardedFetch(safeFetch), tenant: guardedFetch(tenantFetch) },
});

function turnMetrics(metrics: Registry) {
  const seconds = new Histogram({
    name: 'parley_turn_duration_seconds',
    help: 'Time from a visitor’s message to its reply in the log, by how it was answered.',
    labelNames: ['mode'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [metrics],
  });
  return (mode: string, waited: number) => seconds.observe({ mode }, waited);
}
