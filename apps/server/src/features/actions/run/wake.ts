import { sendOptions, type RestateClient } from '../../../platform/restate.ts';
import { actionRunObject, runKey } from './action-run.interface.ts';
import type { RunRef } from './step.ts';

/** Idempotent: the run continues from its stored state. */
export async function wakeRun(restate: RestateClient, ref: RunRef, traceparent?: string | null): Promise<void> {
  await restate.sendClient(actionRunObject, runKey(ref)).go(ref, sendOptions({ traceparent }));
}
