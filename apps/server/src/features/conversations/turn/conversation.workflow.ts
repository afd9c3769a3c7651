import * as restate from '@restatedev/restate-sdk';
import type { Id } from '../../../platform/ids.contract.ts';
import { startMs as invocationStartMs } from '../../../platform/invocation-limits.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { inTrace } from '../../../platform/spans.ts';
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

/** Longest wait for the action runs of a turn in total. Runs that take longer report their own result. */
const timeoutMs = 12_000;

/**
 * One conversation: one turn at a time, in message order. Each step saves its result in PostgreSQL before it returns to
 * Restate; the journal holds ids and numbers only. So a turn that takes longer than an invocation continues in a call to
 * itself. Calls for later messages that wait already run first, but each of them works on the oldest open turn.
 */
export const conversation = (deps: ModelDeps, { startMs = invocationStartMs } = {}) =>
  restate.implement(conversationObject, {
    // A model may write for a minute.
    options: { ...durableDefaults, retryPolicy, inactivityTimeout: { minutes: 5 } },
    handlers: {
      run: async (ctx, { turnId, startedAt: firstStartedAt, ...ref }) => {
        const started = await ctx.run('begin', async () => withTime(await startTurn(deps, ref, turnId)));
        if (!started) return;
        const { traceparent } = started;
        const turnRef = { ...ref, traceparent };
        const isOwn = started.turnId === turnId;
        const startedAt = (isOwn ? firstStartedAt : undefined) ?? started.at;
        const waitFor = (runs: readonly string[], now: number) =>
          waitForRuns(ctx, ref, runs, { now, until: startedAt + timeoutMs });
        const isOver = (now: number) => now - started.at >= startMs;
        const continueLater = () =>
          void ctx.sendClient(conversationObject, ctx.key).run({ ...ref, turnId, ...(isOwn && { startedAt }) });

        startRuns(ctx, ref, started.asked);
        await waitFor(started.runs, started.at);
        for (let ask = 1, model = 1; model <= started.models && ask <= started.models + maxCallsPerTurn; ask++) {
          const step = await ctx.run(`model ${ask}`, async () =>
            withTime(
              await inTrace(traceparent, () => runModelStep(deps, turnRef, { turnId: started.turnId, ask, model })),
            ),
          );
          if (step.isAsked) startRuns(ctx, ref, step.runs);
          if (step.outcome === 'answered' || step.isAsked) break;
          if (step.outcome === 'failed') model++;
          else if (!(await waitFor(step.runs, step.at))) break;
          if (step.isCalled && isOver(await ctx.date.now())) return continueLater();
        }
        if (started.models > 0 || started.runs.length > 0)
          await ctx.run('save reply', () => inTrace(traceparent, () => saveReply(deps, turnRef, started.turnId)));
        if (!isOwn) continueLater();
      },
    },
  });

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

/** Whether all runs ended, or wait for confirmation, in time. */
async function waitForRuns(
  ctx: restate.ObjectContext,
  ref: ConversationRef,
  runs: readonly string[],
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const calls = runs.map((id) => {
    const runRef = { tenantId: ref.tenantId, runId: id as Id<'actionRun'> };
    const call = ctx.client(actionRunObject, runKey(runRef)).go(runRef);
    return { id, progress: call.orTimeout(Math.max(1, until - now)) };
  });
  const [later, pauses]: [string[], number[]] = [[], []];
  let hasEnded = true;
  for (const { id, progress } of calls) {
    const result = await progress.catch((error: unknown) => {
      if (!(error instanceof restate.TimeoutError)) throw error;
      return 'late' as const;
    });
    if (result === 'late') hasEnded = false;
    if (typeof result === 'string') continue;
    later.push(id);
    pauses.push(result.afterMs);
  }
  if (!hasEnded || later.length === 0) return hasEnded;
  const pauseMs = Math.max(...pauses);
  const pausedAt = await ctx.date.now();
  if (pausedAt + pauseMs >= until) return false;
  await ctx.sleep(pauseMs);
  return waitForRuns(ctx, ref, later, { now: pausedAt + pauseMs, until });
}
