import { randomUUID } from 'node:crypto';
import { notFound } from '../../platform/errors.ts';
import type { CallerContext } from '../../platform/http/route.ts';
import { ModelFailed, type ModelRequest } from '../../platform/model.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { draftContent, limitsOf } from '../bots/index.ts';
import { search, type QuestionVector, type SearchResult } from '../knowledge/index.ts';
import { missingModels } from '../models/index.ts';
import type { AskedModel, AskModel, NoAnswerReason } from './answers.contract.ts';
import { replyLanguage } from './language.ts';
import {
  callFoundModel,
  costOf,
  findModel,
  readAnswer,
  reserveCall,
  settleCall,
  timeoutsOf,
  type ModelAccess,
  type ModelAnswer,
} from './model-call.ts';
import { systemPrompt } from './prompt.ts';
import { replyToSmallTalk } from './small-talk.ts';
import { textsIn } from './texts.ts';

export interface AskModelDeps extends ModelAccess {
  embedQuestion?: ((question: string) => Promise<QuestionVector | undefined>) | undefined;
}

/** Less than in a chat, where the text is streamed: here someone looks at a spinner. */
const totalMs = 30_000;

/**
 * The answer that a bot in mode `model` would give now, based on the draft: the search, prompt, models and budgets of a
 * chat, without its actions. Nothing is stored but the spend.
 */
export async function askModel(
  caller: CallerContext,
  deps: AskModelDeps,
  botId: string,
  { question, models }: AskModel,
): Promise<AskedModel> {
  const content = await caller.inTenant(async (ctx) => {
    if ((await missingModels(ctx.tx, models ?? [])).length > 0) throw notFound('model');
    return draftContent(ctx, botId);
  });
  const smallTalk = await replyToSmallTalk(caller, content, question);
  if (smallTalk !== undefined)
    return { answer: { text: smallTalk, citations: [] }, reason: null, message: null, spend: null };

  const vector = await deps.embedQuestion?.(question);
  const { languages, knowledgeSourceIds } = content;
  const { chunks } = await caller.inTenant(({ tx }) => search(tx, knowledgeSourceIds, question, { languages, vector }));
  const language = await replyLanguage(languages, { text: question });

  let reason: NoAnswerReason = 'model_missing';
  for (const [index, name] of (models ?? content.answers.models).entries()) {
    const request = requestOf(content, { question, chunks, language, position: index + 1 });
    const result = await callModelOnce(caller, deps, { name, request, chunks, botId });
    if (result.outcome === 'answered') return toAskedModel(result, language);
    // A missing model explains nothing if another one was found and failed.
    if (result.reason !== 'model_missing') reason = result.reason as NoAnswerReason;
  }
  return withoutAnswer(reason, null);
}

interface RequestInput {
  question: string;
  chunks: readonly SearchResult[];
  language: string;
  position: number;
}

const requestOf = (content: VersionContent, { question, chunks, language, position }: RequestInput): ModelRequest => ({
  system: systemPrompt(content, chunks, language),
  messages: [{ role: 'user', text: question }],
  temperature: content.answers.temperature,
  maxOutputTokens: content.answers.maxOutputTokens,
  ...timeoutsOf(position),
  totalMs,
});

interface Call {
  name: string;
  request: ModelRequest;
  chunks: readonly SearchResult[];
  botId: string;
}

/** One call, within the budgets. If the process dies during it, the reservation stays and counts as spent, as in a chat. */
export async function callModelOnce(
  caller: CallerContext,
  deps: AskModelDeps,
  { name, request, chunks, botId }: Call,
): Promise<ModelAnswer> {
  const id = `ask/${randomUUID()}`;
  const found = await caller.inTenant(async (ctx) => {
    const [model, limits] = await Promise.all([findModel(ctx, deps, name), limitsOf(ctx.tx, botId)]);
    if (!model) return 'model_missing';
    return (await reserveCall(ctx, model, { id, request, botId, visitorId: null, limits })) ? model : 'budget_spent';
  });
  if (typeof found === 'string') return { outcome: 'failed', reason: found };

  const response = await callFoundModel(found, request, () => {});
  const result: ModelAnswer =
    response instanceof ModelFailed
      ? { outcome: 'failed', reason: response.reason }
      : readAnswer(response, costOf(response, found, request.maxOutputTokens), chunks);
  const cost = result.outcome === 'answered' ? result.cost : undefined;
  await caller.inTenant((ctx) => settleCall(ctx, found, { id, response, cost }));
  return result;
}

function toAskedModel(result: ModelAnswer & { outcome: 'answered' }, language: string): AskedModel {
  const { isAnswer, text, finish, citations, cost } = result;
  const spend = cost.spendMicros / 1_000_000;
  if (!isAnswer) return withoutAnswer('no_answer', spend);
  const answer = { text: finish === 'cut' ? `${text}\n\n${textsIn(language).cut}` : text, citations };
  return { answer, reason: null, message: null, spend } as AskedModel;
}

const withoutAnswer = (reason: NoAnswerReason, spend: number | null): AskedModel => ({
  answer: null,
  reason,
  message: noAnswerMessages[reason],
  spend,
});

export const noAnswerMessages: Record<NoAnswerReason, string> = {
  no_answer:
    'The AI found no answer in your content. Ask something that your content covers, or add content about this.',
  model_missing: 'No AI model is set up. Ask the platform admin of this service to set one up, or add your own model.',
  budget_spent:
    'Today’s AI budget is used up. Raise the daily AI budget in the bot’s settings or in your plan, or wait until tomorrow (UTC).',
  timeout: 'The AI model took too long to respond. Wait a moment, then ask again.',
  unavailable: 'The AI model is not available at the moment. Wait a moment, then ask again.',
  rate_limited: 'The provider of the AI model gets too many requests. Wait a minute, then ask again.',
  refused:
    'The provider of the AI model refused the request. Check the model’s name and API key, or ask the platform admin of this service to check them.',
  invalid_response: 'The AI model sent no usable response. Ask again; if this happens often, choose another model.',
};
