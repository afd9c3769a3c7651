import { sendToObject, type RestateClient } from '../../../platform/restate.ts';
import type { RunRef } from './step.ts';

export const runKey = ({ tenantId, runId }: RunRef) => `${tenantId}/${runId}`;

/** Idempotent: the run continues from its stored state. */
export const wakeRun = (restate: RestateClient, ref: RunRef, traceparent?: string | null) =>
  sendToObject(restate, { object: 'ActionRun', key: runKey(ref), handler: 'go', traceparent }, ref);
