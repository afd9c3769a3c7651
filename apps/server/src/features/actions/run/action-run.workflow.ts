import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../../platform/restate.ts';
import { actionRunObject, runKey } from './action-run.interface.ts';
import { runStep, type RunDeps } from './step.ts';

/** Shorter intervals than the default, because a visitor may be waiting. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

/** A longer pause is a separate, delayed call. */
const longMs = 9_000;

/**
 * One run. While it waits for a confirmation, a late result or its next attempt, the handler returns instead of sleeping: a
 * handler that sleeps for a day pins the deployment it started on. It is called again when there is news, or at that time.
 */
export const actionRun = (deps: RunDeps) =>
  restate.implement(actionRunObject, {
    options: {
      ...durableDefaults,
      retryPolicy,
      inactivityTimeout: { minutes: 5 },
      idempotencyRetention: { minutes: 5 },
    },
    handlers: {
      go: async (ctx, ref) => {
        for (;;) {
          const next = await ctx.run('advance', () => runStep(deps, ref));
          if (next.kind === 'ended') return 'ended';
          if (next.kind === 'suspended') return 'open';
          if (next.kind === 'retry') {
            if (next.afterMs >= longMs) {
              // A run that is woken in the meantime gets the same call, not another one.
              const options = { delay: next.afterMs, idempotencyKey: String(next.at) };
              ctx.sendClient(actionRunObject, runKey(ref)).go(ref, restate.rpc.sendOpts(options));
              return 'open';
            }
            await ctx.sleep(next.afterMs);
          }
          if (next.kind === 'step') {
            const step = { ...ref, runId: next.runId };
            if ((await ctx.client(actionRunObject, runKey(step)).go(step)) === 'open') return 'open';
          }
          if (next.kind === 'waiting') {
            const delay = Math.max(0, next.until - (await ctx.date.now()));
            ctx.sendClient(actionRunObject, runKey(ref)).go(ref, restate.rpc.sendOpts({ delay }));
            return 'open';
          }
        }
      },
    },
  });
