import type { Id } from '../../../platform/ids.contract.ts';
import { sendOptions, type RestateClient } from '../../../platform/restate.ts';
import { webhookReplayObject } from './replay.interface.ts';

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
