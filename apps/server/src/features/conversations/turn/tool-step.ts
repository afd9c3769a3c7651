import type { Context } from '../../../platform/context.ts';
import type { ModelResponse } from '../../../platform/model.ts';
import type { ToolStep } from '../../../platform/model-types.ts';
import { storableText } from '../../../platform/storable.ts';
import { isOpen, runsOfTurn, updateRun } from '../../actions/index.ts';
import { proposeCalls } from './action-calls.ts';
import * as store from '../conversations.store.ts';
import { questionOf } from '../log/log.store.ts';
import { resultOf } from './run-labels.ts';
import { askedSoFar, type Asked, type Cost } from './steps.store.ts';
import type { Place } from './turn.ts';
import type { Versions } from './versions.ts';
import { keptToolCalls } from './tool-calls.ts';

// What a model wants done, and what came of it.

interface Called {
  cost: Cost;
  place: Place;
  turn: store.TurnRow;
  n: number;
  model: number;
}

/** What it wants done is proposed with the step that says so: both are kept, or neither. */
export async function toCalls(
  ctx: Context,
  versions: Versions,
  { text, toolCalls }: ModelResponse,
  { cost, place, turn, n, model }: Called,
): Promise<Asked> {
  const conversation = await store.find(ctx.tx, place.conversationId);
  if (!conversation) return { outcome: 'failed', reason: 'erased' };
  const content = await versions.contentOf(ctx, conversation.versionId);
  const question = await questionOf(ctx.tx, conversation.id, turn.messageId);
  const earlier = await askedSoFar(ctx.tx, conversation.id, turn.id);
  const madeSoFar = earlier.reduce((sum, one) => sum + (one.outcome === 'calls' ? one.toolCalls.length : 0), 0);
  const few = keptToolCalls(toolCalls);
  const { requested, isAsked } = await proposeCalls(
    ctx,
    { conversation, turn, content, question: { text: question.text, language: question.language } },
    few,
    { ask: n, madeSoFar },
  );
  return {
    outcome: 'calls',
    model,
    text: storableText(text),
    toolCalls: few,
    requested,
    isAsked,
    cost,
  };
}

/** What was requested for earlier in this turn, and what came of it. What still runs is not waited for any longer. */
export async function resultsSoFar({ tx }: Context, conversationId: string, turnId: string, model: number) {
  const toolResults: ToolStep[] = [];
  let madeSoFar = 0;
  const runs = new Map((await runsOfTurn(tx, conversationId, turnId)).map((run) => [run.id, run]));
  for (const asked of await askedSoFar(tx, conversationId, turnId)) {
    if (asked.outcome !== 'calls') continue;
    madeSoFar += asked.toolCalls.length;
    const results = asked.requested.map(({ callId, runId, problem }) => {
      const run = runId && runs.get(runId);
      return run ? { id: callId, ...resultOf(run) } : { id: callId, output: problem ?? 'Not done.', isError: true };
    });
    // What a provider wants back with the result is for its own model only.
    const toolCalls = asked.toolCalls.map(({ memo, ...call }) => ({
      ...call,
      ...(memo !== undefined && asked.model === model && { memo }),
    }));
    toolResults.push({ text: asked.text, toolCalls, results });
  }
  for (const run of runs.values()) if (run.isAwaited && isOpen(run)) await updateRun(tx, run.id, { isAwaited: false });
  return { toolResults, madeSoFar };
}
