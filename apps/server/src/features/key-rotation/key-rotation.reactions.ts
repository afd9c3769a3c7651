import type { Services } from '../../platform/context.ts';
import { sendToObject, type RestateClient } from '../../platform/restate.ts';
import { findStalled } from './key-rotation.store.ts';

export const wakeRotation = (restate: RestateClient, rotationId: string): Promise<void> =>
  sendToObject(restate, { object: 'KeyRotation', key: rotationId, handler: 'run' }, { rotationId });

/** Time without progress after which a rotation is woken. A step takes seconds. */
const stalledSeconds = 45;

/** Runs every minute in each worker, in case the call to Restate was lost. */
export async function wakeStalledRotation(services: Services, restate: RestateClient): Promise<void> {
  const stalled = await findStalled(services.db, stalledSeconds);
  if (stalled) await wakeRotation(restate, stalled.id);
}
