import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import {
  callModel,
  costMicros,
  estimateInputTokens,
  ModelFailed,
  type ModelResponse,
  type ModelConnection,
} from '../../../platform/model.ts';
import { storableText } from '../../../platform/storable.ts';
import type { Signals } from '../../../platform/valkey.ts';
import { citedIn, hasMark, holdBackMark, mayBecomeMark, replyLanguage, systemPrompt } from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { limitsOf } from '../../bots/index.ts';
import { readEntitlements, type Entitlements } from '../../entitlements/index.ts';
import { search, type SearchResult } from '../../knowledge/index.ts';
import { openModel } from '../../models/index.ts';
import { reserveSpend, settleSpend, type Budget } from '../../usage/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { onStop, createDeltaStream } from '../log/live.ts';
import { messagesBefore, questionOf } from '../log/log.store.ts';
import { embeddingOfTurn, vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { maxCallsPerTurn, availableActions } from './action-calls.ts';
import { findStep, saveStep, type ModelStepResult, type Cost } from './steps.store.ts';
import { toolResultsSoFar, proposeToolCalls } from './tool-step.ts';
import { inConversation, type ConversationRef, type TurnDeps } from './turn.ts';

type Fetch = typeof globalThis.fetch;

export interface ModelDeps extends TurnDeps {
  signals: Signals;
  /** The deployment's models, by name; the first is the default. */
  models: readonly (ModelConnection & { name: string })[];
  /** Clients for the deployment's models and for the tenants' own. */
  fetch: { deployment: Fetch; tenant: Fetch };
}

/** Time to the first token, per model in order. After that, the reply is quoted from the knowledge instead. */
const firstTokenMs = [4_000, 1_500];
const stallMs = 4_000;
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

  const { request, connection, chunks, budget, replyId } = prepared;
  const fetch = prepared.isDeploymentModel ? deps.fetch.deployment : deps.fetch.tenant;
  const stop = stopSignal(deps, ref, turnId);
  const deltas = createDeltaStream(deps.signals, ref.conversationId, { turnId, messageId: replyId });
  const response = await callModel(fetch, connection, { ...request, signal: stop.signal }, holdBackMark(deltas.add))
    .catch((error: unknown) => {
      if (error instanceof ModelFailed) return error;
      throw error;
    })
    .finally(() => {
      deltas.end();
      stop.end();
    });

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
              cost: costOf(response.usage, connection, request.maxOutputTokens),
              ref,
              turn,
              n,
              model,
            })
          : toResult(response, costOf(response.usage, connection, request.maxOutputTokens), chunks);
    // If it was erased or handed off meanwhile, the response is not saved, but its cost is.
    if (turn.status === 'running') await saveStep(ctx.tx, ref.conversationId, turnId, name, result);
    // The cost of a failed call is unknown. The reserved amount stays, so that the budget is never exceeded.
    const cost = result.outcome === 'failed' ? costOfFailure(response) : result.cost.spendMicros;
    await settleSpend(ctx, id, cost, budget.perTenant);
    return summarize(result, true);
  });
}

/** Estimated usage is capped at the output limit, because only that much was reserved. */
function costOf(usage: ModelResponse['usage'], connection: ModelConnection, maxTokens: number): Cost {
  const { inputTokens, isEstimated } = usage;
  const outputTokens = isEstimated ? Math.min(usage.outputTokens, maxTokens) : usage.outputTokens;
  return {
    tokensIn: inputTokens,
    tokensOut: outputTokens,
    spendMicros: costMicros(connection, { inputTokens, outputTokens }),
  };
}

const failed = (reason: string): ModelStepResult => ({ outcome: 'failed', reason });

/** null: unknown. */
const costOfFailure = (response: unknown): number | null =>
  response instanceof ModelFailed && response.isFree ? 0 : null;

function toResult(answer: ModelResponse, cost: Cost, chunks: readonly SearchResult[]): ModelStepResult {
  const { finish } = answer;
  const text = storableText(answer.text);
  const isStopped = finish === 'stopped';
  // Empty, or stalled within the no-answer marker: neither an answer nor a statement that there is none.
  if (!isStopped && (text.trim() === '' || (finish === 'stalled' && mayBecomeMark(text))))
    return failed('invalid_response');
  const isAnswer = text.trim() !== '' && !hasMark(text);
  return {
    outcome: 'answered',
    text: hasMark(text) ? '' : text.trim(),
    citations: isAnswer ? citedIn(text, chunks) : [],
    isAnswer,
    finish: finish === 'stalled' ? 'cut' : isStopped ? 'stopped' : finish === 'length' ? 'length' : 'complete',
    cost,
  };
}

type Prepared =
  | { kind: 'done'; result: ModelStepResult }
  | {
      kind: 'ready';
      request: Parameters<typeof callModel>[2];
      connection: ModelConnection;
      isDeploymentModel: boolean;
      chunks: SearchResult[];
      budget: Budget;
      replyId: string;
    };

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
  if (turn.stopRequested) return fail('stopped');
  const content = await deps.versions.contentOf(ctx, conversation.versionId);
  const { entitlements } = await readEntitlements({ tx });
  const name = content.answers.models[model - 1] ?? 'default';
  const connection = await connect(ctx, deps, name, entitlements);
  if (!connection) return fail('model_missing');

  const { request, chunks } = await buildRequest(ctx, deps.embedding, { conversation, turn, content, model });
  const max = { inputTokens: estimateInputTokens(request), outputTokens: request.maxOutputTokens };
  const limits = await limitsOf(tx, conversation.botId);
  const budget: Budget = {
    botId: conversation.botId,
    visitorId: conversation.visitorId,
    perBot: limits.spendPerDay,
    perVisitor: limits.spendPerVisitorDay,
    perTenant: entitlements['model_spend.per_day'],
  };
  if (!(await reserveSpend(ctx, `${turnId}/${n}`, costMicros(connection, max), budget))) return fail('budget_spent');
  return {
    kind: 'ready',
    request,
    connection,
    isDeploymentModel: name === 'default',
    chunks,
    budget,
    replyId: turn.replyId,
  };
}

async function connect(
  ctx: Context,
  { models }: ModelDeps,
  name: string,
  entitlements: Entitlements,
): Promise<ModelConnection | undefined> {
  if (name === 'default') return models.find((model) => model.name === 'default') ?? models[0];
  return entitlements.custom_model > 0 ? openModel(ctx, name) : undefined;
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
    firstTokenMs: firstTokenMs[Math.min(model, firstTokenMs.length) - 1] ?? stallMs,
    stallMs,
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

/** Aborts the call when the visitor stops it: immediately by signal, or within two seconds by polling. */
function stopSignal(deps: ModelDeps, ref: ConversationRef, turnId: Id<'turn'>) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const subscription = onStop(deps.signals, turnId, stop);
  const pollTimer = setInterval(() => {
    inConversation(deps, ref, ({ tx }) => store.findTurn(tx, ref.conversationId, { id: turnId })).then(
      (turn) => turn?.stopRequested && stop(),
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
