import type { Engine } from '../../platform/restate.ts';
import type { Log } from '../../platform/telemetry.ts';
import { wakeEndpoint } from './webhooks.reactions.ts';
import type { Wake } from './webhooks.service.ts';

/** For whoever put something into a queue: has its endpoint looked after at once, if the engine hears it. */
export const wakerOf =
  (engine: Engine, log: Log): Wake =>
  ({ tenantId }, webhookId) =>
    void wakeEndpoint(engine, tenantId, webhookId).catch((error: unknown) =>
      log.warn({ err: error, tenantId, webhookId }, 'waking an endpoint failed; the sweeper will retry'),
    );
