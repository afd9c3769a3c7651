import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { ModelFailed, type ModelRequest } from '../../../platform/model.ts';
import type { Signals } from '../../../platform/valkey.ts';
import {
  callFoundModel,
  costOf,
  findModel,
  holdBackMark,
  readAnswer,
  replyLanguage,
  reserveCall,
  settleCall,
  systemPrompt,
  timeoutsOf,
  type FoundModel,
  type ModelAccess,
} from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { search, type SearchResult } from '../../knowledge/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { onStop, createDeltaStream } from '../log/live.ts';
import { messagesBefore, questionOf } from '../log/log.store.ts';
import { embeddingOfTurn, vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { maxCallsPerTurn, availableActions } from './action-calls.ts';
import { findStep, saveStep, type ModelStepResult } from './steps.store.ts';
import { toolResultsSoFar, proposeToolCalls } from './tool-step.ts';
import { inConversation, type ConversationRef, type TurnDeps } from './turn.ts';

export interface ModelDeps extends TurnDeps, ModelAccess {
  signals: Signals;
}

const totalMs = 60_000;
const historyMessages = 10;
const historyCharacters = 6_000;

/** What is journaled by Restate: whether there is an answer, or which runs must end first. */
export interface ModelStepSummary {
  outcome: ModelStepResult['outcome'];
  runs: string[];
  isAsked: boolean;
  /** false if the result was stored already, or no call was possible. */
  isCalled: boolean;
}
const summarize = (result: ModelStepResult, isCalled: boolean): ModelStepSummary => ({
  isCalled,
  outcome: result.outcome,
  runs: result.outcome === 'calls' ? result.requested.flatMap(({ runId }) => runId ?? []) : [],
  isAsked: result.outcome === 'calls' && result.isAsked,
});

/** One model call: `ask` counts the calls of the turn, `model` is the position in the bot's models. */
export interface ModelCall {
  turnId: Id<'turn'>;
  ask: number;
  model: number;
}

/**
 * Calls a model of the bot and saves its response before returning to Restate. A saved step is never called again. A
 * step that crashed before saving is retried, and the first attempt counts as paid.
 */
export async function runModelStep(
  deps: ModelDeps,
  ref: ConversationRef,
  { turnId, ask: n, model }: ModelCall,
): Promise<ModelStepSummary> {
  const name = `model ${n}`;
  const id = `${turnId}/${n}`;
  const embedding = await embeddingOfTurn(deps, ref, turnId);
  const attempt = randomUUID();
  const prepared = await inConversation(deps, ref, (ctx) =>
    prepare(ctx, { ...deps, embedding }, ref, { turnId, n, model, attempt }),
  );
  if (prepared.kind === 'done') return summarize(prepared.result, false);

  const { request, found, chunks, replyId } = prepared;
  const stop = stopSignal(deps, ref, turnId);
  const deltas = createDeltaStream(deps.signals, ref.conversationId, { turnId, messageId: replyId }, stop.signal);
  const response = await callFoundModel(found, { ...request, signal: stop.signal }, holdBackMark(deltas.add)).finally(
    () => {
      deltas.end();
      stop.end();
    },
  );

  return inConversation(deps, ref, async (ctx) => {
    await store.lock(ctx.tx, ref.conversationId);
    const turn = await store.findTurn(ctx.tx, ref.conversationId, { id: turnId });
    // Restate has started another attempt: that one counts, and this result is discarded.
    if (turn?.attempt !== attempt) throw new Error(`${turnId} was taken over by another attempt`);
    const result =
      response instanceof ModelFailed
        ? failed(response.reason)
        : response.toolCalls.length > 0 && turn.status === 'running'
          ? await proposeToolCalls(ctx, deps.versions, response, {
              cost: costOf(response, found, request.maxOutputTokens),
              ref,
              turn,
              n,
              model,
            })
          : readAnswer(response, costOf(response, found, request.maxOutputTokens), chunks);
    // If it was erased or handed off meanwhile, the response is not saved, but its cost is.
    if (turn.status === 'running') await saveStep(ctx.tx, ref.conversationId, turnId, name, result);
    await settleCall(ctx, found, { id, response, cost: result.outcome === 'failed' ? undefined : result.cost });
    return summarize(result, true);
  });
}

const failed = (reason: string): ModelStepResult => ({ outcome: 'failed', reason });

type Prepared =
  | { kind: 'done'; result: ModelStepResult }
  | { kind: 'ready'; request: ModelRequest; found: FoundModel; chunks: SearchResult[]; replyId: string };

/** Reads everything the call needs and reserves its budget, in one transaction. */
async function prepare(
  ctx: Context,
  deps: ModelDeps & { embedding: QuestionEmbedding | undefined },
  { conversationId }: ConversationRef,
  { turnId, n, model, attempt }: { turnId: Id<'turn'>; n: number; model: number; attempt: string },
): Promise<Prepared> {
  const { tx } = ctx;
  // Saving takes the same lock: either this sees the saved step, or the earlier attempt can no longer save.
  const conversation = await store.lock(tx, conversationId);
  const saved = await findStep<ModelStepResult>(tx, conversationId, turnId, `model ${n}`);
  if (saved) return { kind: 'done', result: saved };
  const fail = async (reason: string): Promise<Prepared> => {
    const result = failed(reason);
    await saveStep(tx, conversationId, turnId, `model ${n}`, result);
    return { kind: 'done', result };
  };
  const turn = await store.claimTurn(tx, conversationId, turnId, attempt);
  if (!conversation || !turn) return { kind: 'done', result: failed('erased') };
  // Handed off or closed before the call: its tokens would reach the visitor while an agent writes.
  if (turn.status !== 'running') return { kind: 'done', result: failed('turn_ended') };
  if (turn.stopRequested) return fail('stopped');
  const content = await deps.versions.contentOf(ctx, conversation.versionId);
  const found = await findModel(ctx, deps, content.answers.models[model - 1] ?? 'default');
  if (!found) return fail('model_missing');

  const { request, chunks } = await buildRequest(ctx, deps.embedding, { conversation, turn, content, model });
  const { botId, visitorId } = conversation;
  const isReserved = await reserveCall(ctx, found, { id: `${turnId}/${n}`, request, botId, visitorId });
  return isReserved ? { kind: 'ready', request, found, chunks, replyId: turn.replyId } : fail('budget_spent');
}

interface PromptInput {
  conversation: Conversation;
  turn: store.TurnRow;
  content: VersionContent;
  model: number;
}

async function buildRequest(
  ctx: Context,
  embedding: QuestionEmbedding | undefined,
  { conversation, turn, content, model }: PromptInput,
) {
  const { tx } = ctx;
  const question = await questionOf(tx, conversation.id, turn.messageId);
  const { chunks } = await search(tx, content.knowledgeSourceIds, question.text, {
    languages: content.languages,
    vector: vectorFor(embedding, question.text),
  });
  const language = await replyLanguage(content.languages, question);
  const { temperature, maxOutputTokens } = content.answers;
  const { allowed } = await availableActions(ctx, { conversation, content });
  const { toolResults, callCount } = await toolResultsSoFar(ctx, conversation.id, turn.id, model);
  const mayCallTools = callCount < maxCallsPerTurn;
  const request = {
    system: systemPrompt(content, chunks, language, allowed.length > 0),
    tools: mayCallTools
      ? allowed.map(({ name, title, description, inputSchema }) => ({
          name,
          description: `${title}. ${description}`,
          inputSchema,
        }))
      : [],
    toolResults,
    messages: [...(await history(ctx, conversation.id, turn.seq)), { role: 'user' as const, text: question.text }],
    temperature,
    maxOutputTokens,
    ...timeoutsOf(model),
    totalMs,
  };
  return { request, chunks };
}

/** The latest messages of this conversation, within a character limit. */
async function history({ tx }: Context, conversationId: string, before: number) {
  const recent = await messagesBefore(tx, conversationId, { max: historyMessages + 1 });
  let remaining = historyCharacters;
  return recent
    .filter(({ seq, role }) => seq < before || role !== 'visitor') // not the question itself, nor later ones
    .filter(({ text }) => text !== '' && (remaining -= text.length) >= 0)
    .toReversed()
    .map(({ role, text }) => ({ role: role === 'visitor' ? ('user' as const) : ('assistant' as const), text }));
}

const stopPollMs = 2_000;

/** Aborts the call when the turn is stopped or ended: immediately by signal, or within two seconds by polling. */
function stopSignal(deps: ModelDeps, ref: ConversationRef, turnId: Id<'turn'>) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const subscription = onStop(deps.signals, turnId, stop);
  const pollTimer = setInterval(() => {
    inConversation(deps, ref, ({ tx }) => store.findTurn(tx, ref.conversationId, { id: turnId })).then(
      (turn) => (turn?.stopRequested || turn?.status !== 'running') && stop(),
      () => {},
    );
  }, stopPollMs);
  return {
    signal: controller.signal,
    end: () => {
      clearInterval(pollTimer);
      subscription.stop();
    },
  };
}
