import { iface } from '@restatedev/restate-sdk-core';
import type { EndpointKey } from './dispatcher.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { sendOptions, type RestateClient, type SendSettings } from '../../../platform/restate-client.ts';
import type { Log } from '../../../platform/telemetry.ts';
import type { Wake } from '../endpoints/webhooks.service.ts';

/** Stored by Restate: renaming it, or a handler, abandons calls already made. */
export const webhookEndpointObject = iface.object('WebhookEndpoint', { drain: iface.json<EndpointKey>() });

export const endpointKey = ({ tenantId, webhookId }: EndpointKey) => `${tenantId}/${webhookId}`;

export async function wakeEndpoint(
  restate: RestateClient,
  tenantId: Id<'tenant'>,
  webhookId: string,
  options: SendSettings = {},
): Promise<void> {
  await restate
    .sendClient(webhookEndpointObject, endpointKey({ tenantId, webhookId }))
    .drain({ tenantId, webhookId }, sendOptions(options));
}

/** Wakes an endpoint after something was queued for it. Best effort: the sweeper does it otherwise. */
export const createWaker =
  (restate: RestateClient, log: Log): Wake =>
  ({ tenantId }, webhookId) =>
    void wakeEndpoint(restate, tenantId, webhookId).catch((error: unknown) =>
      log.warn({ err: error, tenantId, webhookId }, 'waking an endpoint failed; the sweeper will retry'),
    );
