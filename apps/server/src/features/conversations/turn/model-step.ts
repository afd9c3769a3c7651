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
import { chooseLanguage, citedIn, hasMark, holdBackMark, mayBecomeMark, systemPrompt } from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { limitsOf } from '../../bots/index.ts';
import { readEntitlements, type Entitlements } from '../../entitlements/index.ts';
import { search, type SearchResult } from '../../knowledge/index.ts';
import { openModel } from '../../models/index.ts';
import { reserveSpend, settleSpend, type Budget } from '../../usage/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { onStop, tellWords } from '../log/live.ts';
import { messagesBefore, questionOf } from '../log/log.store.ts';
import { embeddingOfTurn, vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { maxCalls, offersOf } from './action-calls.ts';
import { findStep, saveStep, type Asked, type Cost } from './steps.store.ts';
import { resultsSoFar, toCalls } from './tool-step.ts';
import { inConversation, type Place, type TurnParts } from './turn.ts';

type Fetch = typeof globalThis.fetch;

export interface ModelParts extends TurnParts {
  signals: Signals;
  /** The deployment's models, by name; the first is the default. */
  models: readonly (ModelConnection & { name: string })[];
  /** For the deployment's models, and for those of tenants. */
  fetch: { ours: Fetch; theirs: Fetch };
}

/** Nobody waits longer for the first word than this, all models together: then the answer is quoted instead. */
const firstTokenMs = [4_000, 1_500];
const stallMs = 4_000;
const totalMs = 60_000;
const historyMessages = 10;
const historyEmails = 6_000;

/** What the engine hears of it: whether there is an answer, or what must be done before there can be one. */
export interface Heard {
  outcome: Asked['outcome'];
  runs: string[];
  isAsked: boolean;
}
const heard = (asked: Asked): Heard => ({
  outcome: asked.outcome,
  runs: asked.outcome === 'calls' ? asked.requested.flatMap(({ runId }) => runId ?? []) : [],
  isAsked: asked.outcome === 'calls' && asked.isAsked,
});

/** Asking a model once: the how-manieth time in this turn, and which of the bot's models. */
export interface Ask {
  turnId: Id<'turn'>;
  ask: number;
  model: number;
}

/**
 * Asks a model of the bot, and keeps what it said before the engine hears of it. Once it is kept nobody asks again; a
 * step that died before is asked anew, and its first try counts as paid for.
 */
export async function askStep(parts: ModelParts, place: Place, { turnId, ask: n, model }: Ask): Promise<Heard> {
  const name = `model ${n}`;
  const id = `${turnId}/${n}`;
  const embedding = await embeddingOfTurn(parts, place, turnId);
  const attempt = randomUUID();
  const prepared = await inConversation(parts, place, (ctx) =>
    prepare(ctx, { ...parts, embedding }, place, { turnId, n, model, attempt }),
  );
  if (prepared.kind === 'known') return heard(prepared.asked);

  const { request, connection, chunks, budget, replyId } = prepared;
  const fetch = prepared.isOurs ? parts.fetch.ours : parts.fetch.theirs;
  const stopping = stopSignal(parts, place, turnId);
  const words = tellWords(parts.signals, place.conversationId, { turnId, messageId: replyId });
  const answered = await callModel(fetch, connection, { ...request, signal: stopping.signal }, holdBackMark(words.add))
    .catch((error: unknown) => {
      if (error instanceof ModelFailed) return error;
      throw error;
    })
    .finally(() => {
      words.end();
      stopping.end();
    });

  return inConversation(parts, place, async (ctx) => {
    await store.lock(ctx.tx, place.conversationId);
    const turn = await store.findTurn(ctx.tx, place.conversationId, { id: turnId });
    // The engine has lost sight of us and begun anew: that one counts, and nobody hears this.
    if (turn?.attempt !== attempt) throw new Error(`${turnId} was taken over by another attempt`);
    const asked =
      answered instanceof ModelFailed
        ? failed(answered.reason)
        : answered.toolCalls.length > 0 && turn.status === 'running'
          ? await toCalls(ctx, parts.versions, answered, {
              cost: costOf(answered.usage, connection, request.maxOutputTokens),
              place,
              turn,
              n,
              model,
            })
          : toAsked(answered, costOf(answered.usage, connection, request.maxOutputTokens), chunks);
    // Erased or handed over meanwhile: then nothing of it is kept, and it is paid all the same.
    if (turn.status === 'running') await saveStep(ctx.tx, place.conversationId, turnId, name, asked);
    // A call that failed may have cost something or nothing. We cannot know, and do not overspend on a guess.
    const cost = asked.outcome === 'failed' ? costOfFailure(answered) : asked.cost.spendMicros;
    await settleSpend(ctx, id, cost, budget.perTenant);
    return heard(asked);
  });
}

/** What nobody has reported is reckoned, as no more than it was allowed to write: so much was set aside, and no more. */
function costOf(usage: ModelResponse['usage'], connection: ModelConnection, maxTokens: number): Cost {
  const { inputTokens, isEstimated } = usage;
  const outputTokens = isEstimated ? Math.min(usage.outputTokens, maxTokens) : usage.outputTokens;
  return {
    tokensIn: inputTokens,
    tokensOut: outputTokens,
    spendMicros: costMicros(connection, { inputTokens, outputTokens }),
  };
}

const failed = (reason: string): Asked => ({ outcome: 'failed', reason });

/** null: nobody knows. */
const costOfFailure = (answered: unknown): number | null =>
  answered instanceof ModelFailed && answered.isFree ? 0 : null;

function toAsked(answer: ModelResponse, cost: Cost, chunks: readonly SearchResult[]): Asked {
  const { finish } = answer;
  const text = storableText(answer.text);
  const isStopped = finish === 'stopped';
  // Nothing, or the beginning of the mark and then silence: no answer, and no "no" either.
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
  | { kind: 'known'; asked: Asked }
  | {
      kind: 'ready';
      request: Parameters<typeof callModel>[2];
      connection: ModelConnection;
      isOurs: boolean;
      chunks: SearchResult[];
      budget: Budget;
      replyId: string;
    };

/** Everything the call needs, read in one transaction, and the money for it set aside in the same. */
async function prepare(
  ctx: Context,
  parts: ModelParts & { embedding: QuestionEmbedding | undefined },
  { conversationId }: Place,
  { turnId, n, model, attempt }: { turnId: Id<'turn'>; n: number; model: number; attempt: string },
): Promise<Prepared> {
  const { tx } = ctx;
  // Locked, as is the keeping of what was said: either this sees it, or what is said by an earlier attempt is not kept.
  const conversation = await store.lock(tx, conversationId);
  const known = await findStep<Asked>(tx, conversationId, turnId, `model ${n}`);
  if (known) return { kind: 'known', asked: known };
  const give = async (reason: string): Promise<Prepared> => {
    const asked = failed(reason);
    await saveStep(tx, conversationId, turnId, `model ${n}`, asked);
    return { kind: 'known', asked };
  };
  const turn = await store.takeTurn(tx, conversationId, turnId, attempt);
  if (!conversation || !turn) return { kind: 'known', asked: failed('erased') };
  if (turn.stopRequested) return give('stopped');
  const content = await parts.versions.contentOf(ctx, conversation.versionId);
  const { entitlements } = await readEntitlements({ tx });
  const name = content.answers.models[model - 1] ?? 'default';
  const connection = await connect(ctx, parts, name, entitlements);
  if (!connection) return give('model_missing');

  const { request, chunks } = await ask(ctx, parts.embedding, { conversation, turn, content, model });
  const max = { inputTokens: estimateInputTokens(request), outputTokens: request.maxOutputTokens };
  const limits = await limitsOf(tx, conversation.botId);
  const budget: Budget = {
    botId: conversation.botId,
    visitorId: conversation.visitorId,
    perBot: limits.spendPerDay,
    perVisitor: limits.spendPerVisitorDay,
    perTenant: entitlements['model_spend.per_day'],
  };
  if (!(await reserveSpend(ctx, `${turnId}/${n}`, costMicros(connection, max), budget))) return give('budget_spent');
  return { kind: 'ready', request, connection, isOurs: name === 'default', chunks, budget, replyId: turn.replyId };
}

async function connect(
  ctx: Context,
  { models }: ModelParts,
  name: string,
  entitlements: Entitlements,
): Promise<ModelConnection | undefined> {
  if (name === 'default') return models.find((model) => model.name === 'default') ?? models[0];
  return entitlements.custom_model > 0 ? openModel(ctx, name) : undefined;
}

interface ToAsk {
  conversation: Conversation;
  turn: store.TurnRow;
  content: VersionContent;
  model: number;
}

async function ask(
  ctx: Context,
  embedding: QuestionEmbedding | undefined,
  { conversation, turn, content, model }: ToAsk,
) {
  const { tx } = ctx;
  const question = await questionOf(tx, conversation.id, turn.messageId);
  const { chunks } = await search(tx, content.knowledgeSourceIds, question.text, {
    languages: content.languages,
    vector: vectorFor(embedding, question.text),
  });
  const language = chooseLanguage(content.languages, question.language);
  const { temperature, maxOutputTokens } = content.answers;
  const { allowed } = await offersOf(ctx, { conversation, content });
  const { toolResults, madeSoFar } = await resultsSoFar(ctx, conversation.id, turn.id, model);
  const isRoom = madeSoFar < maxCalls;
  const request = {
    system: systemPrompt(content, chunks, language, allowed.length > 0),
    tools: isRoom
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

/** What was said before, as much of it as is worth reading again. Of this conversation only. */
async function history({ tx }: Context, conversationId: string, before: number) {
  const recent = await messagesBefore(tx, conversationId, { max: historyMessages + 1 });
  let room = historyEmails;
  return recent
    .filter(({ seq, role }) => seq < before || role !== 'visitor') // not the question itself, nor what is asked after it
    .filter(({ text }) => text !== '' && (room -= text.length) >= 0)
    .toReversed()
    .map(({ role, text }) => ({ role: role === 'visitor' ? ('user' as const) : ('assistant' as const), text }));
}

const lookMs = 2_000;

/** Ends the call when the visitor stops it: heard at once, or found within two seconds when nothing can be heard. */
function stopSignal(parts: ModelParts, place: Place, turnId: Id<'turn'>) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const ear = onStop(parts.signals, turnId, stop);
  const look = setInterval(() => {
    inConversation(parts, place, ({ tx }) => store.findTurn(tx, place.conversationId, { id: turnId })).then(
      (turn) => turn?.stopRequested && stop(),
      () => {},
    );
  }, lookMs);
  return {
    signal: controller.signal,
    end: () => {
      clearInterval(look);
      ear.stop();
    },
  };
}
