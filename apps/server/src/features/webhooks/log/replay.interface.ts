import { iface } from '@restatedev/restate-sdk';
import type { Id } from '../../../platform/ids.contract.ts';

interface ReplayCall {
  tenantId: Id<'tenant'>;
  replayId: string;
}

/** Stored by Restate: renaming it, or a handler, abandons calls already made. */
export const webhookReplayObject = iface.object('WebhookReplay', { run: iface.json<ReplayCall>() });
