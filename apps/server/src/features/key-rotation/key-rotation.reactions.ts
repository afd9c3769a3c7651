import type { Services } from '../../platform/context.ts';
import type { RestateClient } from '../../platform/restate-client.ts';
import { keyRotationObject } from './key-rotation.interface.ts';
import { findStalled } from './key-rotation.store.ts';

export async function wakeRotation(restate: RestateClient, rotationId: string): Promise<void> {
  await restate.sendClient(keyRotationObject, rotationId).run({ rotationId });
}

/** Time without progress after which a rotation is woken. A step takes seconds. */
const stalledSeconds = 45;

/** Runs every minute, in case the call to Restate was lost. */
export async function wakeStalledRotation(services: Services, restate: RestateClient): Promise<void> {
  const stalled = await findStalled(services.db, stalledSeconds);
  if (stalled) await wakeRotation(restate, stalled.id);
}
