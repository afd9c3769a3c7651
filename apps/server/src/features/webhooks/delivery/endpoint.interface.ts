import { iface } from '@restatedev/restate-sdk-core';
import type { Id } from '../../../platform/ids.contract.ts';

export interface EndpointKey {
  tenantId: Id<'tenant'>;
  webhookId: string;
}

/**
 * The previous release delivered in this object. Its calls may still wait in Restate, and journals of replays contain one, so
 * it stays until no such version can run: docs/adr/0071-lanes.md.
 */
export const webhookEndpointObject = iface.object('WebhookEndpoint', { drain: iface.json<EndpointKey>() });

export const endpointKey = ({ tenantId, webhookId }: EndpointKey) => `${tenantId}/${webhookId}`;
