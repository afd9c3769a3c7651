import type { Services } from '../../platform/context.ts';
import { sendToObject, type RestateClient } from '../../platform/restate.ts';
import { findSilent } from './key-rotation.store.ts';

export const wakeRotation = (restate: RestateClient, rotationId: string): Promise<void> =>
  sendToObject(restate, { object: 'KeyRotation', key: rotationId, handler: 'run' }, { rotationId });

/** How long nothing is heard of one before it is asked to go on: a step is seconds. */
const silentSeconds = 45;

/** For every worker, each minute: the row is there, whatever became of the call that was to see to it. */
export async function wakeSilentRotation(services: Services, restate: RestateClient): Promise<void> {
  const silent = await findSilent(services.db, silentSeconds);
  if (silent) await wakeRotation(restate, silent.id);
}
