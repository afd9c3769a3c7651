import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../../platform/restate.ts';
import { runStep, type RunDeps, type RunRef } from './step.ts';
import { runKey } from './wake.ts';

/** Shorter intervals than the default, because a visitor may be waiting. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

type State = 'ended' | 'open';
interface Handlers {
  go(ctx: restate.ObjectContext, ref: RunRef): Promise<State>;
}
/** This object's own definition, for calls to itself. */
const self: restate.VirtualObjectDefinition<'ActionRun', Handlers> = { name: 'ActionRun' };

/** A longer pause is a delayed call of its own. */
const longMs = 9_000;

/**
 * One run. While it waits for a confirmation, a late result or its next attempt, the handler returns instead of sleeping: a
 * handler that sleeps for a day pins the deployment it started on. It is called again when there is news, or at that time.
 */
export const actionRun = (deps: RunDeps) =>
  restate.object({
    name: 'ActionRun', // stored by Restate: renaming it abandons runs under way
    options: {
      ...durableDefaults,
      retryPolicy,
      inactivityTimeout: { minutes: 5 },
      idempotencyRetention: { minutes: 5 },
    },
    handlers: {
      go: async (ctx: restate.ObjectContext, ref: RunRef): Promise<State> => {
        for (;;) {
          const next = await ctx.run('advance', () => runStep(deps, ref));
          if (next.kind === 'ended') return 'ended';
          if (next.kind === 'suspended') return 'open';
          if (next.kind === 'retry') {
            if (next.afterMs >= longMs) {
              // Whoever wakes the run meanwhile gets the same call, not another one.
              const options = { delay: next.afterMs, idempotencyKey: String(next.at) };
              ctx.objectSendClient<typeof self>(self, runKey(ref)).go(ref, restate.rpc.sendOpts(options));
              return 'open';
            }
            await ctx.sleep(next.afterMs);
          }
          if (next.kind === 'step') {
            const step = { ...ref, runId: next.runId };
            if ((await ctx.objectClient<typeof self>(self, runKey(step)).go(step)) === 'open') return 'open';
          }
          if (next.kind === 'waiting') {
            const delay = Math.max(0, next.until - (await ctx.date.now()));
            ctx.objectSendClient<typeof self>(self, runKey(ref)).go(ref, restate.rpc.sendOpts({ delay }));
            return 'open';
          }
        }
      },
    },
  });
