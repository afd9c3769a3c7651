import { iface } from '@restatedev/restate-sdk-core';
import type { Id } from '../../../platform/ids.contract.ts';
import { sendOptions, type RestateClient } from '../../../platform/restate-client.ts';

interface ReplayCall {
  tenantId: Id<'tenant'>;
  replayId: string;
}

/** Stored by Restate: renaming it, or a handler, abandons calls already made. */
export const webhookReplayObject = iface.object('WebhookReplay', { run: iface.json<ReplayCall>() });

/** The replay continues from its row. With an idempotency key, a repeated call has no effect. */
export async function wakeReplay(
  restate: RestateClient,
  tenantId: Id<'tenant'>,
  replayId: string,
  idempotencyKey?: string,
): Promise<void> {
  await restate
    .sendClient(webhookReplayObject, `${tenantId}/${replayId}`)
    .run({ tenantId, replayId }, sendOptions({ idempotencyKey }));
}
