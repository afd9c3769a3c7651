import { iface } from '@restatedev/restate-sdk';
import type { EndpointKey } from './dispatcher.ts';

/** Stored by Restate: renaming it, or a handler, abandons calls already made. */
export const webhookEndpointObject = iface.object('WebhookEndpoint', { drain: iface.json<EndpointKey>() });
