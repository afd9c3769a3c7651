import { Histogram, type Registry } from 'prom-client';
import type { Platform } from '../../../platform/platform.ts';
import { createModelAccess } from '../../answers/index.ts';
import { openEmbedder } from '../../knowledge/index.ts';
import type { ModelDeps } from './model-step.ts';
import { createVersions } from './versions.ts';

/** Dependencies of turns, in a worker. */
export const createTurnDeps = (platform: Platform): ModelDeps => ({
  ...createModelAccess(platform),
  observeTurn: turnMetrics(platform.metrics),
  sendsEmail: platform.config.SMTP_URL !== undefined,
  services: platform.services,
  signals: platform.signals,
  versions: createVersions(),
  embedQuestion: openEmbedder(platform)?.embedQuestion,
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
