import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { ModelFailed, type ModelRequest, type ModelResponse } from '../../../platform/model.ts';
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
import { runsOfTurn } from '../../actions/index.ts';
import { limitsOf } from '../../bots/index.ts';
import { search, type SearchResult } from '../../knowledge/index.ts';
import type { Conversation, Message } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { onStop, createDeltaStream } from '../log/live.ts';
import { messagesBefore } from '../log/log.store.ts';
import { embeddingOfTurn, vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { maxCallsPerTurn, availableActions } from './action-calls.ts';
import { findStep, listModelSteps, saveStep, type ModelStepResult } from './steps.store.ts';
import { toolResultsSoFar, proposeToolCalls, type Past } from './tool-step.ts';
import { turnStarted } from './turn-metrics.ts';
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

  const { request, found, chunks, turn: accepted } = prepared;
  const stop = stopSignal(deps, ref, turnId);
  const deltas = createDeltaStream(
    deps.signals,
    ref.conversationId,
    { turnId, messageId: accepted.replyId },
    stop.signal,
  );
  const onText = (text: string) => {
    turnStarted(accepted, 'model');
    deltas.add(text);
  };
  const response = await callFoundModel(found, { ...request, signal: stop.signal }, holdBackMark(onText)).finally(
    () => {
      deltas.end();
      stop.end();
    },
  );

  const { answer, toolCalls, cost } = readResponse(response, found, { request, chunks });
  return inConversation(deps, ref, async (ctx) => {
    const [, turn] = await Promise.all([
      store.lock(ctx.tx, ref.conversationId),
      store.findTurn(ctx.tx, ref.conversationId, { id: turnId }),
      settleCall(ctx, found, { id, response, cost }), // if it was erased or handed off meanwhile as well
    ]);
    // Restate has started another attempt: that one counts, and this result is discarded.
    if (turn?.attempt !== attempt) throw new Error(`${turnId} was taken over by another attempt`);
    if (turn.status !== 'running') return summarize(answer, true);
    const result = toolCalls ? await proposeToolCalls(ctx, deps.versions, toolCalls, { ref, turn, n, model }) : answer;
    later(ctx.tx, saveStep(ctx.tx, ref.conversationId, turnId, name, result));
    return summarize(result, true);
  });
}

/** Its answer or its tool calls, and what it cost; undefined if that is unknown. */
function readResponse(
  response: ModelResponse | ModelFailed,
  found: FoundModel,
  { request, chunks }: { request: ModelRequest; chunks: readonly SearchResult[] },
) {
  if (response instanceof ModelFailed)
    return { answer: failed(response.reason), toolCalls: undefined, cost: undefined };
  const cost = costOf(response, found, request.maxOutputTokens);
  const answer = readAnswer(response, cost, chunks);
  const toolCalls = response.toolCalls.length > 0 ? { ...response, cost } : undefined;
  return { answer, toolCalls, cost: toolCalls || answer.outcome === 'answered' ? cost : undefined };
}

const failed = (reason: string): ModelStepResult => ({ outcome: 'failed', reason });

type Prepared =
  | { kind: 'done'; result: ModelStepResult }
  | { kind: 'ready'; request: ModelRequest; found: FoundModel; chunks: SearchResult[]; turn: store.TurnRow };

/** Reads everything the call needs and reserves its budget, in one transaction. */
async function prepare(
  ctx: Context,
  deps: ModelDeps & { embedding: QuestionEmbedding | undefined },
  { conversationId }: ConversationRef,
  { turnId, n, model, attempt }: { turnId: Id<'turn'>; n: number; model: number; attempt: string },
): Promise<Prepared> {
  const { tx } = ctx;
  // Saving takes the same lock: either this sees the saved step, or the earlier attempt can no longer save.
  const step = `model ${n}`;
  const [conversation, saved, turn, steps, runs, messages] = await Promise.all([
    store.lock(tx, conversationId),
    findStep<ModelStepResult>(tx, conversationId, turnId, step),
    store.claimTurn(tx, conversationId, turnId, { step, attempt }),
    listModelSteps(tx, conversationId, turnId),
    runsOfTurn(tx, conversationId, turnId),
    messagesBefore(tx, conversationId, { max: historyMessages + 1 }),
  ]);
  if (saved) return { kind: 'done', result: saved };
  const fail = async (reason: string): Promise<Prepared> => {
    const result = failed(reason);
    later(tx, saveStep(tx, conversationId, turnId, step, result));
    return { kind: 'done', result };
  };
  if (!conversation || !turn) return { kind: 'done', result: failed('erased') };
  // Handed off or closed before the call: its tokens would reach the visitor while an agent writes.
  if (turn.status !== 'running') return { kind: 'done', result: failed('turn_ended') };
  if (turn.stopRequested) return fail('stopped');
  const content = await deps.versions.contentOf(ctx, conversation.versionId);
  const { botId, visitorId } = conversation;
  const [found, limits, { request, chunks }] = await Promise.all([
    findModel(ctx, deps, content.answers.models[model - 1] ?? 'default'),
    limitsOf(tx, botId),
    buildRequest(ctx, deps.embedding, { conversation, turn, content, model, past: { steps, runs, messages } }),
  ]);
  if (!found) return fail('model_missing');
  const isReserved = await reserveCall(ctx, found, { id: `${turnId}/${n}`, request, botId, visitorId, limits });
  return isReserved ? { kind: 'ready', request, found, chunks, turn } : fail('budget_spent');
}

interface PromptInput {
  conversation: Conversation;
  turn: store.TurnRow;
  content: VersionContent;
  model: number;
  past: Past & { messages: readonly Message[] };
}

async function buildRequest(
  ctx: Context,
  embedding: QuestionEmbedding | undefined,
  { conversation, turn, content, model, past }: PromptInput,
) {
  const question = store.questionOf(turn);
  const [{ chunks }, { allowed }, language] = await Promise.all([
    search(ctx.tx, content.knowledgeSourceIds, question.text, {
      languages: content.languages,
      vector: vectorFor(embedding, question.text),
    }),
    availableActions(ctx, { conversation, content }),
    replyLanguage(content.languages, question),
  ]);
  const { toolResults, callCount } = toolResultsSoFar(ctx, past, model);
  const { temperature, maxOutputTokens } = content.answers;
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
    messages: [...history(past.messages, turn.seq), { role: 'user' as const, text: question.text }],
    temperature,
    maxOutputTokens,
    ...timeoutsOf(model),
    totalMs,
  };
  return { request, chunks };
}

/** The latest messages of this conversation, within a character limit. */
function history(recent: readonly Message[], before: number) {
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
