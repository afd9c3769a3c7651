import { iface } from '@restatedev/restate-sdk';
import type { RunRef } from './step.ts';

/** Stored by Restate: renaming it, or a handler, abandons runs under way. */
export const actionRunObject = iface.object('ActionRun', { go: iface.json<RunRef, 'ended' | 'open'>() });

export const runKey = ({ tenantId, runId }: RunRef) => `${tenantId}/${runId}`;
