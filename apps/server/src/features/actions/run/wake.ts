import { sendToObject, type RestateClient } from '../../../platform/restate.ts';
import type { RunPlace } from './step.ts';

export const runKey = ({ tenantId, runId }: RunPlace) => `${tenantId}/${runId}`;

/** Asks for a run to be gone on with. Once more does no harm: the ledger says what is left to do. */
export const wakeRun = (restate: RestateClient, place: RunPlace, traceparent?: string | null) =>
  sendToObject(restate, { object: 'ActionRun', key: runKey(place), handler: 'go', traceparent }, place);
