import { iface } from '@restatedev/restate-sdk-core';
import type { RunRef } from './step.ts';
import { sendOptions, type RestateClient, type SendSettings } from '../../../platform/restate-client.ts';

/**
 * `open`: the run waits for the visitor, for the tenant's backend, or for a later attempt. With `afterMs`, it continues soon,
 * in another invocation: to wait for it, call it again after this time.
 */
export type RunProgress = 'ended' | 'open' | { afterMs: number };

/** Stored by Restate: renaming it, or a handler, abandons runs under way. */
export const actionRunObject = iface.object('ActionRun', { go: iface.json<RunRef, RunProgress>() });

export const runKey = ({ tenantId, runId }: RunRef) => `${tenantId}/${runId}`;

/** Idempotent: the run continues from its stored state. */
export async function wakeRun(restate: RestateClient, ref: RunRef, options: SendSettings = {}): Promise<void> {
  await restate.sendClient(actionRunObject, runKey(ref)).go(ref, sendOptions(options));
}
