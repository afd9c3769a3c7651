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

/** No turn waits for an attempt that is further away. */
const longMs = 9_000;
/**
 * When an invocation starts its last attempt. Shorter than for other objects, because the invocation of a multi-step action
 * also lasts as long as that of its step.
 */
export const attemptMs = 2_000;

/**
 * One run. While it waits for a confirmation, a late result or its next attempt, the handler returns instead of sleeping: a
 * handler that sleeps for a day pins the deployment it started on. It is called again when there is news, or at that time.
 */
export const actionRun = (deps: RunDeps, { startMs = attemptMs } = {}) =>
  restate.implement(actionRunObject, {
    options: { ...durableDefaults, retryPolicy, idempotencyRetention: { minutes: 5 } },
    handlers: {
      go: async (ctx, ref) => {
        const self = ctx.sendClient(actionRunObject, runKey(ref));
        for (let until: number | undefined; ;) {
          const { startedAt, endedAt, ...next } = await ctx.run('advance', () => timed(() => runStep(deps, ref)));
          until ??= startedAt + startMs;
          if (next.kind === 'ended') return 'ended';
          if (next.kind === 'suspended') return 'open';
          if (next.kind === 'waiting') {
            self.go(ref, restate.rpc.sendOpts({ delay: Math.max(0, next.until - endedAt) }));
            return 'open';
          }
          if (next.kind === 'retry' && endedAt + next.afterMs >= until) {
            // A run that is woken in the meantime gets the same call, not another one.
            self.go(ref, restate.rpc.sendOpts({ delay: next.afterMs, idempotencyKey: String(next.at) }));
            return next.afterMs < longMs ? { afterMs: next.afterMs } : 'open';
          }
          if (next.kind === 'retry') await ctx.sleep(next.afterMs);
          if (next.kind === 'step') {
            const step = { ...ref, runId: next.runId };
            const progress = await ctx.client(actionRunObject, runKey(step)).go(step);
            if (progress !== 'ended') return progress; // the step continues without this run, and wakes it when it ends
            if ((await ctx.date.now()) >= until) {
              self.go(ref);
              return { afterMs: 0 };
            }
          }
        }
      },
    },
  });

/** With its times, so that they are journaled with the result. */
async function timed<T extends object>(work: () => Promise<T>): Promise<T & { startedAt: number; endedAt: number }> {
  const startedAt = Date.now();
  return { ...(await work()), startedAt, endedAt: Date.now() };
}
