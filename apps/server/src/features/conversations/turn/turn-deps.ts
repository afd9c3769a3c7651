import type { Platform } from '../../../platform/platform.ts';
import { createModelAccess } from '../../answers/index.ts';
import { openEmbedder } from '../../knowledge/index.ts';
import type { ModelDeps } from './model-step.ts';
import { createVersions } from './versions.ts';

/** Dependencies of turns, in a worker. */
export const createTurnDeps = (platform: Platform): ModelDeps => ({
  ...createModelAccess(platform),
  log: platform.log,
  sendsEmail: platform.config.SMTP_URL !== undefined,
  services: platform.services,
  signals: platform.signals,
  versions: createVersions(),
  embedQuestion: openEmbedder(platform)?.embedQuestion,
});
