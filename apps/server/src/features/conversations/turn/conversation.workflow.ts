import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../../../platform/restate.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { actionRunObject, runKey } from '../../actions/index.ts';
import { maxCallsPerTurn } from './action-calls.ts';
import { conversationObject } from './conversation.interface.ts';
import { runModelStep, type ModelDeps } from './model-step.ts';
import { startTurn, saveReply, type ConversationRef } from './turn.ts';

/** A visitor is waiting: retry almost immediately, then every few seconds. */
const retryPolicy = {
  ...durableDefaults.retryPolicy,
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 3 },
  maxAttempts: 2_000,
};

/**
 * One conversation: one turn at a time, in message order. Each step saves its result in PostgreSQL before it returns to
 * Restate; the journal holds ids and numbers only.
 */
export const conversation = (deps: ModelDeps) =>
  restate.implement(conversationObject, {
    options: { ...durableDefaults, retryPolicy, inactivityTimeout: { minutes: 5 } },
    handlers: {
      run: async (ctx, { turnId, ...ref }) => {
        for (;;) {
          const started = await ctx.run('begin', async () => withTime(await startTurn(deps, ref, turnId)));
          if (!started) return;
          startRuns(ctx, ref, started.asked);
          await waitForRuns(ctx, ref, started.runs);
          for (let ask = 1, model = 1; model <= started.models && ask <= started.models + maxCallsPerTurn; ask++) {
            const step = await ctx.run(`model ${ask}`, async () =>
              withTime(await runModelStep(deps, ref, { turnId: started.turnId, ask, model })),
            );
            if (step.isAsked) startRuns(ctx, ref, step.runs);
            if (step.outcome === 'answered' || step.isAsked) break;
            if (step.outcome === 'failed') model++;
            else if (!(await waitForRuns(ctx, ref, step.runs, timeoutMs - (step.at - started.at)))) break;
          }
          if (started.models > 0 || started.runs.length > 0)
            await ctx.run('save reply', () => saveReply(deps, ref, started.turnId));
          if (started.turnId === turnId) return;
        }
      },
    },
  });

/** Longest wait for the action runs of a turn in total. Runs that take longer report their own result. */
const timeoutMs = 12_000;
/** Adds the time, so that it is journaled with the result and needs no separate step. */
const withTime = <T extends object | null>(result: T) =>
  (result && { ...result, at: Date.now() }) as T & { at: number };

/** Starts runs without waiting, so that unanswered confirmations expire. */
function startRuns(ctx: restate.ObjectContext, { tenantId }: ConversationRef, runs: readonly string[]): void {
  for (const id of runs) {
    const runRef = { tenantId, runId: id as Id<'actionRun'> };
    ctx.sendClient(actionRunObject, runKey(runRef)).go(runRef);
  }
}

/** Whether all runs ended, or wait for confirmation, before the timeout. */
async function waitForRuns(
  ctx: restate.ObjectContext,
  { tenantId }: ConversationRef,
  runs: readonly string[],
  timeout = timeoutMs,
): Promise<boolean> {
  let hasEnded = true;
  const calls = runs.map((id) => {
    const runRef = { tenantId, runId: id as Id<'actionRun'> };
    return ctx.client(actionRunObject, runKey(runRef)).go(runRef).orTimeout(Math.max(1, timeout));
  });
  for (const run of calls)
    await run.catch((error: unknown) => {
      if (!(error instanceof restate.TimeoutError)) throw error;
      hasEnded = false;
    });
  return hasEnded;
}
