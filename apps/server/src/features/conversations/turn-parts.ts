import type { Platform } from '../../platform/platform.ts';
import { guardedFetch } from '../../platform/safe-fetch-web.ts';
import { openEmbedder } from '../knowledge/index.ts';
import type { ModelParts } from './model-step.ts';
import { createVersions } from './versions.ts';

/** What turns run with, in a worker. */
export const turnParts = ({ ground, signals, config, safeFetch, tenantFetch, log }: Platform): ModelParts => ({
  ground,
  signals,
  versions: createVersions(),
  models: config.MODELS.map(({ baseUrl = null, apiKey = null, ...model }) => ({ ...model, baseUrl, apiKey })),
  embedQuestion: openEmbedder({ config, safeFetch, log })?.ofQuestion,
  fetch: { ours: guardedFetch(safeFetch), theirs: guardedFetch(tenantFetch) },
});
