import type { Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import type { ModelResponse } from '../../../platform/model.ts';
import type { ToolStep } from '../../../platform/model-types.ts';
import { storableText } from '../../../platform/storable.ts';
import { isOpen, updateRun, type Run } from '../../actions/index.ts';
import { replyLanguage, type Cost } from '../../answers/index.ts';
import { proposeCalls } from './action-calls.ts';
import * as store from '../conversations.store.ts';
import { toolResultOf } from './run-labels.ts';
import { listModelSteps, type ModelStepResult } from './steps.store.ts';
import type { ConversationRef } from './turn.ts';
import type { Versions } from './versions.ts';
import { sanitizeToolCalls } from './tool-calls.ts';

// Tool calls of a model, and their results.

interface ToolCallContext {
  ref: ConversationRef;
  turn: store.TurnRow;
  n: number;
  model: number;
}

/** Proposes runs in the transaction that saves the step: both are saved, or neither. */
export async function proposeToolCalls(
  ctx: Context,
  versions: Versions,
  { text, toolCalls, cost }: ModelResponse & { cost: Cost },
  { ref, turn, n, model }: ToolCallContext,
): Promise<ModelStepResult> {
  const [conversation, earlier] = await Promise.all([
    store.find(ctx.tx, ref.conversationId),
    listModelSteps(ctx.tx, ref.conversationId, turn.id),
  ]);
  if (!conversation) return { outcome: 'failed', reason: 'erased' };
  const content = await versions.contentOf(ctx, conversation.versionId);
  const question = store.questionOf(turn);
  const callCount = earlier.reduce((sum, one) => sum + (one.outcome === 'calls' ? one.toolCalls.length : 0), 0);
  const sanitized = sanitizeToolCalls(toolCalls);
  const { requested, isAsked } = await proposeCalls(
    ctx,
    { conversation, turn, content, question, language: await replyLanguage(content.languages, question) },
    sanitized,
    { ask: n, callCount },
  );
  return {
    outcome: 'calls',
    model,
    text: storableText(text),
    toolCalls: sanitized,
    requested,
    isAsked,
    cost,
  };
}

export interface Past {
  /** The turn's model steps so far, and the runs they requested. */
  steps: readonly ModelStepResult[];
  runs: readonly Run[];
}

/** Earlier tool calls of this turn with their results. The turn no longer waits for runs that are still open. */
export function toolResultsSoFar({ tx }: Context, { steps, runs: all }: Past, model: number) {
  const toolResults: ToolStep[] = [];
  let callCount = 0;
  const runs = new Map(all.map((run) => [run.id, run]));
  for (const step of steps) {
    if (step.outcome !== 'calls') continue;
    callCount += step.toolCalls.length;
    const results = step.requested.map(({ callId, runId, problem }) => {
      const run = runId && runs.get(runId);
      return run ? { id: callId, ...toolResultOf(run) } : { id: callId, output: problem ?? 'Not done.', isError: true };
    });
    // Provider metadata is returned only to the model it came from.
    const toolCalls = step.toolCalls.map(({ memo, ...call }) => ({
      ...call,
      ...(memo !== undefined && step.model === model && { memo }),
    }));
    toolResults.push({ text: step.text, toolCalls, results });
  }
  for (const run of runs.values())
    if (run.isAwaited && isOpen(run)) later(tx, updateRun(tx, run.id, { isAwaited: false }));
  return { toolResults, callCount };
}
