import type { Services } from '../../platform/context.ts';
import { askObject, type Engine } from '../../platform/restate.ts';
import { findSilent } from './key-rotation.store.ts';

export const wakeRotation = (engine: Engine, rotationId: string): Promise<void> =>
  askObject(engine, { object: 'KeyRotation', key: rotationId, handler: 'run' }, { rotationId });

/** How long nothing is heard of one before it is asked to go on: a step is seconds. */
const silentSeconds = 45;

/** For every worker, each minute: the row is there, whatever became of the call that was to see to it. */
export async function wakeSilentRotation(services: Services, engine: Engine): Promise<void> {
  const silent = await findSilent(services.db, silentSeconds);
  if (silent) await wakeRotation(engine, silent.id);
}
