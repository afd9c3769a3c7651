import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../../platform/restate.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { runKey } from '../../actions/index.ts';
import { maxCalls } from './action-calls.ts';
import { askStep, type ModelParts } from './model-step.ts';
import { beginTurn, saveReply, type Place } from './turn.ts';
import type { TurnCall } from './wake.ts';

/** Somebody is waiting in front of a screen: what failed is tried again at once, and then every few seconds. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

/**
 * One conversation: one turn at a time, in the order of its messages. Each step leaves its result in PostgreSQL before
 * the engine hears of it; the journal holds ids and numbers only.
 */
export const conversation = (parts: ModelParts) =>
  restate.object({
    name: 'Conversation', // stored by Restate: renaming it abandons turns under way
    options: { ...durableDefaults, retryPolicy, inactivityTimeout: { minutes: 5 } },
    handlers: {
      run: async (ctx: restate.ObjectContext, { turnId, ...place }: TurnCall) => {
        for (;;) {
          const begun = await ctx.run('begin', async () => timed(await beginTurn(parts, place, turnId)));
          if (!begun) return;
          watchOver(ctx, place, begun.asked);
          await waitFor(ctx, place, begun.runs);
          for (let ask = 1, model = 1; model <= begun.models && ask <= begun.models + maxCalls; ask++) {
            const heard = await ctx.run(`model ${ask}`, async () =>
              timed(await askStep(parts, place, { turnId: begun.turnId, ask, model })),
            );
            if (heard.isAsked) watchOver(ctx, place, heard.runs);
            if (heard.outcome === 'answered' || heard.isAsked) break;
            if (heard.outcome === 'failed') model++;
            else if (!(await waitFor(ctx, place, heard.runs, timeoutMs - (heard.at - begun.at)))) break;
          }
          if (begun.models > 0 || begun.runs.length > 0)
            await ctx.run('save reply', () => saveReply(parts, place, begun.turnId));
          if (begun.turnId === turnId) return;
        }
      },
    },
  });

/** Nobody sits in front of three dots for longer than this, all calls together: then what still runs tells its end by itself. */
const timeoutMs = 12_000;
/** With the time, which the engine keeps with it: no step of its own for a clock. */
const timed = <T extends object | null>(result: T) => (result && { ...result, at: Date.now() }) as T & { at: number };
const actionRun: restate.VirtualObjectDefinition<
  'ActionRun',
  { go: (ctx: restate.ObjectContext, place: object) => Promise<string> }
> = { name: 'ActionRun' };

/** A card that nobody answers is taken back in time: nobody waits for that here. */
function watchOver(ctx: restate.ObjectContext, { tenantId }: Place, runs: readonly string[]): void {
  for (const id of runs) {
    const place = { tenantId, runId: id as Id<'actionRun'> };
    ctx.objectSendClient(actionRun, runKey(place)).go(place);
  }
}

/** Whether all of them have ended, or wait for somebody, before the patience did. */
async function waitFor(
  ctx: restate.ObjectContext,
  { tenantId }: Place,
  runs: readonly string[],
  timeout = timeoutMs,
): Promise<boolean> {
  let isInTime = true;
  const going = runs.map((id) => {
    const place = { tenantId, runId: id as Id<'actionRun'> };
    return ctx.objectClient(actionRun, runKey(place)).go(place).orTimeout(Math.max(1, timeout));
  });
  for (const run of going)
    await run.catch((error: unknown) => {
      if (!(error instanceof restate.TimeoutError)) throw error;
      isInTime = false;
    });
  return isInTime;
}
