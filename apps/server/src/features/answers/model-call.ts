import type { Context } from '../../platform/context.ts';
import {
  callModel,
  costMicros,
  estimateInputTokens,
  ModelFailed,
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
} from '../../platform/model.ts';
import type { Platform } from '../../platform/platform.ts';
import { guardedFetch } from '../../platform/safe-fetch-web.ts';
import { storableText } from '../../platform/storable.ts';
import type { limitsOf } from '../bots/index.ts';
import { readEntitlements } from '../entitlements/index.ts';
import type { SearchResult } from '../knowledge/index.ts';
import { openModel } from '../models/index.ts';
import { reserveSpend, settleSpend } from '../usage/index.ts';
import type { Answer } from './extractive.ts';
import { citedIn, hasMark, mayBecomeMark } from './prompt.ts';

// One call of a model, for a turn or for a test of the draft: find the model, reserve, call, settle. Reserving and
// settling are separate transactions, because the call must not be inside one.

type Fetch = typeof globalThis.fetch;

export interface ModelAccess {
  /** The deployment's models, by name; the first is the default. */
  models: readonly (ModelConnection & { name: string })[];
  /** Clients for the deployment's models and for the tenants' own. */
  fetch: { deployment: Fetch; tenant: Fetch };
}

export const createModelAccess = ({
  config,
  safeFetch,
  tenantFetch,
}: Pick<Platform, 'config' | 'safeFetch' | 'tenantFetch'>): ModelAccess => ({
  models: config.MODELS.map(({ baseUrl = null, apiKey = null, ...model }) => ({ ...model, baseUrl, apiKey })),
  fetch: { deployment: guardedFetch(safeFetch), tenant: guardedFetch(tenantFetch) },
});

/** Time to the first token, per model in order. After that, the reply is quoted from the knowledge instead. */
const firstTokenMs = [4_000, 1_500];
const stallMs = 4_000;

/** `position` is that of the model in the bot's list, from 1. */
export const timeoutsOf = (position: number) => ({
  firstTokenMs: firstTokenMs[Math.min(position, firstTokenMs.length) - 1] ?? stallMs,
  stallMs,
});

export interface FoundModel {
  connection: ModelConnection;
  fetch: Fetch;
  /** The tenant's budget, in dollars. */
  spendPerDay: number;
}

/** A model by its name in a bot's settings; undefined if the deployment, the tenant or the plan doesn't have it. */
export async function findModel(
  ctx: Context,
  { models, fetch }: ModelAccess,
  name: string,
): Promise<FoundModel | undefined> {
  const { entitlements } = await readEntitlements(ctx);
  const spendPerDay = entitlements['model_spend.per_day'];
  if (name === 'default') {
    const connection = models.find((model) => model.name === 'default') ?? models[0];
    return connection && { connection, fetch: fetch.deployment, spendPerDay };
  }
  const connection = entitlements.custom_model > 0 ? await openModel(ctx, name) : undefined;
  return connection && { connection, fetch: fetch.tenant, spendPerDay };
}

interface CallToReserve {
  /** Identifies the reservation. */
  id: string;
  request: ModelRequest;
  botId: string;
  visitorId: string | null;
  /** Of the bot. */
  limits: Awaited<ReturnType<typeof limitsOf>>;
}

/** Reserves the most that the call can cost. false if a budget is insufficient. */
export async function reserveCall(
  ctx: Context,
  { connection, spendPerDay }: FoundModel,
  { id, request, botId, visitorId, limits }: CallToReserve,
): Promise<boolean> {
  const max = { inputTokens: estimateInputTokens(request), outputTokens: request.maxOutputTokens };
  return reserveSpend(ctx, id, costMicros(connection, max), {
    botId,
    visitorId,
    perBot: limits.spendPerDay,
    perVisitor: limits.spendPerVisitorDay,
    perTenant: spendPerDay,
  });
}

/** Returns a failure of the model instead of throwing it. */
export const callFoundModel = (
  { connection, fetch }: FoundModel,
  request: ModelRequest,
  onText: (text: string) => void,
): Promise<ModelResponse | ModelFailed> =>
  callModel(fetch, connection, request, onText).catch((error: unknown) => {
    if (error instanceof ModelFailed) return error;
    throw error;
  });

export interface Cost {
  tokensIn: number;
  tokensOut: number;
  spendMicros: number;
}

/** Estimated usage is capped at the output limit, because only that much was reserved. */
export function costOf({ usage }: ModelResponse, { connection }: FoundModel, maxTokens: number): Cost {
  const { inputTokens, isEstimated } = usage;
  const outputTokens = isEstimated ? Math.min(usage.outputTokens, maxTokens) : usage.outputTokens;
  return {
    tokensIn: inputTokens,
    tokensOut: outputTokens,
    spendMicros: costMicros(connection, { inputTokens, outputTokens }),
  };
}

export type ModelAnswer =
  | (Answer & { outcome: 'answered'; finish: 'complete' | 'length' | 'cut' | 'stopped'; cost: Cost })
  | { outcome: 'failed'; reason: string };

/** The answer in a response without tool calls. */
export function readAnswer(response: ModelResponse, cost: Cost, chunks: readonly SearchResult[]): ModelAnswer {
  const { finish } = response;
  const text = storableText(response.text);
  const isStopped = finish === 'stopped';
  // Empty, or stalled within the no-answer marker: neither an answer nor a statement that there is none.
  if (!isStopped && (text.trim() === '' || (finish === 'stalled' && mayBecomeMark(text))))
    return { outcome: 'failed', reason: 'invalid_response' };
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

/**
 * Settles the reservation. `cost` is undefined without a usable response: then the call was free, or its cost is unknown
 * and the reserved amount stays, so that the budget is never exceeded.
 */
export async function settleCall(
  ctx: Context,
  { spendPerDay }: FoundModel,
  { id, response, cost }: { id: string; response: ModelResponse | ModelFailed; cost: Cost | undefined },
): Promise<void> {
  const isFree = response instanceof ModelFailed && response.isFree;
  await settleSpend(ctx, id, cost?.spendMicros ?? (isFree ? 0 : null), spendPerDay);
}
