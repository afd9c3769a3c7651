import { askObject, type Engine } from '../../platform/restate.ts';
import type { RunPlace } from './advance.ts';

export const runKey = ({ tenantId, runId }: RunPlace) => `${tenantId}/${runId}`;

/** Asks for a run to be gone on with. Once more does no harm: the ledger says what is left to do. */
export const wakeRun = (engine: Engine, place: RunPlace, traceparent?: string | null) =>
  askObject(engine, { object: 'ActionRun', key: runKey(place), handler: 'go', traceparent }, place);
