import type { Context } from '../../../platform/context.ts';
import type { ModelResponse } from '../../../platform/model.ts';
import type { ToolStep } from '../../../platform/model-types.ts';
import { storableText } from '../../../platform/storable.ts';
import { isOpen, runsOfTurn, updateRun } from '../../actions/index.ts';
import { replyLanguage, type Cost } from '../../answers/index.ts';
import { proposeCalls } from './action-calls.ts';
import * as store from '../conversations.store.ts';
import { questionOf } from '../log/log.store.ts';
import { toolResultOf } from './run-labels.ts';
import { listModelSteps, type ModelStepResult } from './steps.store.ts';
import type { ConversationRef } from './turn.ts';
import type { Versions } from './versions.ts';
import { sanitizeToolCalls } from './tool-calls.ts';

// Tool calls of a model, and their results.

interface ToolCallContext {
  cost: Cost;
  ref: ConversationRef;
  turn: store.TurnRow;
  n: number;
  model: number;
}

/** Proposes runs in the transaction that saves the step: both are saved, or neither. */
export async function proposeToolCalls(
  ctx: Context,
  versions: Versions,
  { text, toolCalls }: ModelResponse,
  { cost, ref, turn, n, model }: ToolCallContext,
): Promise<ModelStepResult> {
  const conversation = await store.find(ctx.tx, ref.conversationId);
  if (!conversation) return { outcome: 'failed', reason: 'erased' };
  const content = await versions.contentOf(ctx, conversation.versionId);
  const question = await questionOf(ctx.tx, conversation.id, turn.messageId);
  const earlier = await listModelSteps(ctx.tx, conversation.id, turn.id);
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

/** Earlier tool calls of this turn with their results. The turn no longer waits for runs that are still open. */
export async function toolResultsSoFar({ tx }: Context, conversationId: string, turnId: string, model: number) {
  const toolResults: ToolStep[] = [];
  let callCount = 0;
  const runs = new Map((await runsOfTurn(tx, conversationId, turnId)).map((run) => [run.id, run]));
  for (const step of await listModelSteps(tx, conversationId, turnId)) {
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
  for (const run of runs.values()) if (run.isAwaited && isOpen(run)) await updateRun(tx, run.id, { isAwaited: false });
  return { toolResults, callCount };
}
