import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../../platform/restate.ts';
import { runStep, type RunParts, type RunPlace } from './step.ts';
import { runKey } from './wake.ts';

/** Somebody may be waiting in front of a screen. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

type State = 'ended' | 'open';
interface Handlers {
  go(ctx: restate.ObjectContext, place: RunPlace): Promise<State>;
}
/** Itself, by name. */
const self: restate.VirtualObjectDefinition<'ActionRun', Handlers> = { name: 'ActionRun' };

/**
 * One run. Whatever it waits for, a visitor's word or a late answer, it does not wait here: a handler that sleeps for a
 * day pins the version it began with. It ends, and is called again by whoever has news, or when the time is over.
 */
export const actionRun = (parts: RunParts) =>
  restate.object({
    name: 'ActionRun', // stored by Restate: renaming it abandons runs under way
    options: { ...durableDefaults, retryPolicy, inactivityTimeout: { minutes: 5 } },
    handlers: {
      go: async (ctx: restate.ObjectContext, place: RunPlace): Promise<State> => {
        for (;;) {
          const next = await ctx.run('advance', () => runStep(parts, place));
          if (next.kind === 'ended') return 'ended';
          if (next.kind === 'held') return 'open';
          if (next.kind === 'again') await ctx.sleep(next.afterMs);
          if (next.kind === 'step') {
            const step = { ...place, runId: next.runId };
            if ((await ctx.objectClient<typeof self>(self, runKey(step)).go(step)) === 'open') return 'open';
          }
          if (next.kind === 'waits') {
            const delay = Math.max(0, next.until - (await ctx.date.now()));
            ctx.objectSendClient<typeof self>(self, runKey(place)).go(place, restate.rpc.sendOpts({ delay }));
            return 'open';
          }
        }
      },
    },
  });
