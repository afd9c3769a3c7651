import type { RestateClient } from '../../../platform/restate.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { wakeEndpoint } from '../webhooks.reactions.ts';
import type { Wake } from '../endpoints/webhooks.service.ts';

/** Wakes an endpoint after something was queued for it. Best effort: the sweeper does it otherwise. */
export const createWaker =
  (restate: RestateClient, log: Log): Wake =>
  ({ tenantId }, webhookId) =>
    void wakeEndpoint(restate, tenantId, webhookId).catch((error: unknown) =>
      log.warn({ err: error, tenantId, webhookId }, 'waking an endpoint failed; the sweeper will retry'),
    );
