import { measureModelCall, type ModelCallProgress } from './metrics/model-metrics.ts';
import { explainFailure, ModelFailed } from './model-failures.ts';
import { openCompatible, openModel, toCall, type LanguageModel, type Part } from './model-providers.ts';
import { estimateInputTokens, estimateTokens } from './model-tokens.ts';
import type { ModelResponse, ModelConnection, ModelRequest, ToolCall } from './model-types.ts';
import { watchResponse } from './model-watch.ts';

export { ModelFailed } from './model-failures.ts';
export type { ModelResponse, ModelConnection, ModelRequest } from './model-types.ts';
export { costMicros, estimateInputTokens, estimateTokens } from './model-tokens.ts';

type Fetch = typeof globalThis.fetch;
type End = Extract<Part, { type: 'finish' }>;

/** More than in any language. Reading stops if a server ignores the token limit and exceeds this. */
const maxCharsPerToken = 20;

/**
 * Calls the model once and streams its text to `onText`. A failure without any text throws ModelFailed; after some text,
 * the partial text is returned. Aborting by the signal is not a failure.
 */
export const callModel = (
  fetch: Fetch,
  connection: ModelConnection,
  request: ModelRequest,
  onText: (text: string) => void,
): Promise<ModelResponse> =>
  measureModelCall('chat', connection, errorTypeOf, (progress) =>
    streamResponse(fetch, connection, request, onText, progress),
  );

const errorTypeOf = (error: unknown) => (error instanceof ModelFailed ? error.reason : 'internal_error');

async function streamResponse(
  fetch: Fetch,
  connection: ModelConnection,
  request: ModelRequest,
  onText: (text: string) => void,
  progress: ModelCallProgress,
): Promise<ModelResponse> {
  if (request.signal?.aborted)
    return {
      text: '',
      toolCalls: [],
      usage: { inputTokens: 0, outputTokens: 0, isEstimated: false },
      finish: 'stopped',
    };
  const watch = watchResponse(request);
  const toolCalls: ToolCall[] = [];
  let [text, hiddenText] = ['', ''];
  let end: End | undefined;
  let [isComplete, isOverLimit] = [false, false];
  let failure: { error: unknown } | undefined;
  try {
    const model = await openModel(connection, watch.wrapFetch(fetch));
    for await (const part of streamParts(model, request, watch.signal)) {
      if (part.type === 'finish') {
        end = part;
        isComplete = part.finishReason.raw !== undefined; // otherwise the SDK ended it
        watch.expectNoMore(); // read to the end, so that the connection can be reused
      }
      if (part.type === 'response-metadata') progress.described({ model: part.modelId });
      if (part.type === 'error') failure = part;
      if (failure) break;
      if (part.type === 'tool-call') toolCalls.push(toToolCall(part));
      if (part.type === 'reasoning-delta' || part.type === 'tool-input-delta') hiddenText += part.delta;
      if (part.type === 'text-delta') {
        text += part.delta;
        onText(part.delta);
      }
      if (/-delta$|^tool-/.test(part.type)) {
        watch.recordProgress();
        progress.started();
      }
      isOverLimit = text.length > request.maxOutputTokens * maxCharsPerToken;
      if (isOverLimit) break;
    }
  } finally {
    watch.close();
  }

  const usage = usageOf(request, text + hiddenText, end, isComplete);
  if (isComplete || text) progress.used(usage);
  const finished = (finish: ModelResponse['finish'], calls: ToolCall[] = []): ModelResponse => {
    progress.described({ finishReason: finish });
    return { text, toolCalls: calls, usage, finish };
  };
  if (isComplete) return finished(finishOf(end, toolCalls), toolCalls);
  if (watch.endReason() === 'stopped') return finished('stopped');
  if (text) return finished(isOverLimit ? 'length' : 'stalled');
  throw explainFailure(watch.streamError() ?? failure?.error);
}

/** Yields errors of the SDK as parts, including thrown ones. Errors of the consumer are not caught. */
async function* streamParts(
  model: LanguageModel,
  request: ModelRequest,
  abortSignal: AbortSignal,
): AsyncGenerator<Part> {
  try {
    const { stream } = await model.doStream({ ...toCall(request), abortSignal });
    yield* stream;
  } catch (error) {
    yield { type: 'error', error };
  }
}

function toToolCall(part: Extract<Part, { type: 'tool-call' }>): ToolCall {
  const { toolCallId: id, toolName: name, providerMetadata: memo } = part;
  let input: unknown = part.input;
  try {
    input = JSON.parse(part.input || '{}');
  } catch {
    // stays text, which no tool schema accepts
  }
  return { id, name, input, ...(memo && { memo }) };
}

function finishOf(end: End | undefined, toolCalls: ToolCall[]): ModelResponse['finish'] {
  const reason = end?.finishReason.unified;
  if (reason === 'length') return 'length';
  if (toolCalls.length > 0) return 'tool_calls'; // some providers report `stop`
  return reason === 'stop' ? 'stop' : 'other';
}

/** The reported usage if it is plausible: a tenant's own server may report anything. */
function usageOf(request: ModelRequest, written: string, end: End | undefined, isComplete: boolean) {
  const reported = [end?.usage.inputTokens.total, end?.usage.outputTokens.total];
  const [input, output] = reported.map((count = 0) =>
    Number.isSafeInteger(count) && count > 0 && count < 1e9 ? count : 0,
  );
  const isEstimated = !isComplete || !input || (!output && written !== '');
  const estimated = isEstimated ? estimateTokens(written) : 0;
  return {
    inputTokens: input || estimateInputTokens(request),
    outputTokens: isComplete ? output || estimated : Math.max(output ?? 0, estimated),
    isEstimated,
  };
}

/** Returns one vector per text, in the same order. */
export async function embed(
  fetch: Fetch,
  connection: ModelConnection,
  texts: readonly string[],
  timeoutMs = 60_000,
): Promise<number[][]> {
  if (texts.length === 0) return [];
  if (connection.provider === 'anthropic' || connection.provider === 'google')
    throw new ModelFailed('refused', 'this provider does not support embeddings');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { embedMany } = await import('ai'); // takes 60 to 200 ms to load
  const model = (await openCompatible(connection, fetch)).embeddingModel(connection.model);
  return measureModelCall('embeddings', connection, errorTypeOf, async ({ used }) => {
    try {
      const { embeddings, usage } = await embedMany({
        model,
        values: [...texts],
        maxRetries: 0,
        maxParallelCalls: 2,
        abortSignal: AbortSignal.timeout(timeoutMs),
        telemetry: { isEnabled: false },
      });
      used({ inputTokens: Number.isSafeInteger(usage.tokens) ? usage.tokens : 0, outputTokens: 0 });
      return embeddings;
    } catch (error) {
      throw explainFailure(error);
    }
  });
}
