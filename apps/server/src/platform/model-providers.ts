import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ModelFailed } from './model-failures.ts';
import { toText } from './model-tokens.ts';
import type { ModelConnection, ModelRequest } from './model-types.ts';

type Fetch = typeof globalThis.fetch;
type Provider = ReturnType<typeof createOpenAICompatible>;
export type LanguageModel = ReturnType<Provider['chatModel']>;
type CallOptions = Parameters<LanguageModel['doStream']>[0];
type ProviderOptions = CallOptions['providerOptions'];
export type Part = Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

export const defaultBaseUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/**
 * Imported on first use: each package takes 20 to 45 ms to load, and a process may never call a model. URL and key are
 * always passed, or the packages would take them from the environment and send our key to a tenant's server.
 */
export async function openModel(connection: ModelConnection, fetch: Fetch): Promise<LanguageModel> {
  const { provider, model } = connection;
  const apiKey = connection.apiKey ?? '';
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: connection.baseUrl ?? defaultBaseUrls.anthropic, apiKey, fetch }).chat(model);
  }
  if (provider === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ baseURL: connection.baseUrl ?? defaultBaseUrls.google, apiKey, fetch }).chat(
      model,
    );
  }
  return (await openCompatible(connection, fetch)).chatModel(model);
}

export async function openCompatible({ provider, baseUrl, apiKey }: ModelConnection, fetch: Fetch): Promise<Provider> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const baseURL = baseUrl ?? (provider === 'openai' ? defaultBaseUrls.openai : undefined);
  if (!baseURL) throw new ModelFailed('refused', 'no base URL');
  return createOpenAICompatible({
    name: 'model',
    baseURL,
    fetch,
    includeUsage: true,
    ...(apiKey && { apiKey }),
    ...(provider === 'openai' && { transformRequestBody: asOpenAi }),
  });
}

/** OpenAI's newer models reject `max_tokens`, and its reasoning models reject a temperature. */
function asOpenAi({ max_tokens, temperature, ...body }: Record<string, unknown>): Record<string, unknown> {
  const reasons = /^(?:o\d|gpt-[5-9])/.test(String(body['model']));
  return { ...body, max_completion_tokens: max_tokens, ...(!reasons && { temperature }) };
}

/** Converts the request to the AI SDK's format. Drops empty messages, which some providers reject. */
export function toCall(request: ModelRequest): Omit<CallOptions, 'abortSignal'> {
  const { system, messages, tools = [], toolResults = [], maxOutputTokens, temperature } = request;
  const textParts = (text: string) => (text.trim() ? [{ type: 'text' as const, text }] : []);
  const prompt: CallOptions['prompt'] = [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    ...messages
      .map(({ role, text }) => ({ role, content: textParts(text) }))
      .filter(({ content }) => content.length > 0),
  ];
  for (const { text, toolCalls, results } of toolResults) {
    const toolCallParts = toolCalls.map(({ id, name, input, memo }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
      ...(memo !== undefined && { providerOptions: memo as NonNullable<ProviderOptions> }),
    }));
    const toolResultParts = toolCalls.map(({ id, name }) => {
      const result = results.find((one) => one.id === id) ?? { output: 'Not run.', isError: true };
      const type = result.isError ? ('error-text' as const) : ('text' as const);
      const output = { type, value: toText(result.output) };
      return { type: 'tool-result' as const, toolCallId: id, toolName: name, output };
    });
    prompt.push(
      { role: 'assistant', content: [...textParts(text), ...toolCallParts] },
      { role: 'tool', content: toolResultParts },
    );
  }
  return {
    prompt,
    maxOutputTokens,
    temperature,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function' as const, ...tool })) }),
  };
}
