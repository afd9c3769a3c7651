import type { RestateClient } from '../../../platform/restate.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { wakeEndpoint } from '../webhooks.reactions.ts';
import type { Wake } from '../endpoints/webhooks.service.ts';

/** For whoever put something into a queue: has its endpoint looked after at once, if the engine hears it. */
export const wakerOf =
  (restate: RestateClient, log: Log): Wake =>
  ({ tenantId }, webhookId) =>
    void wakeEndpoint(restate, tenantId, webhookId).catch((error: unknown) =>
      log.warn({ err: error, tenantId, webhookId }, 'waking an endpoint failed; the sweeper will retry'),
    );
