import { SpanKind, type Span } from '@opentelemetry/api';
import { costMicros } from '../model-tokens.ts';
import type { ModelConnection } from '../model-types.ts';
import { inSpan } from '../spans.ts';
import { createHistogram, secondsSince } from './histogram.ts';
import { createCounter } from './instruments.ts';

type Provider = ModelConnection['provider'] | 'local';
type Operation = 'chat' | 'embeddings';

/** The names of OpenTelemetry, where it has one. */
const providerNames: Partial<Record<Provider, string>> = { google: 'gcp.gemini' };
const nameOf = (provider: Provider) => providerNames[provider] ?? provider;

const durations = createHistogram({
  name: 'gen_ai_client_operation_duration_seconds',
  help: 'Time of a model call, until its last token.',
  labelNames: ['gen_ai_operation_name', 'gen_ai_provider_name', 'error_type'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
});
const firstChunks = createHistogram({
  name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
  help: 'Time from a model call to the first part of its response.',
  labelNames: ['gen_ai_provider_name'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 8],
});
const tokens = createCounter(
  'gen_ai_client_token_usage_total',
  'Tokens, as the provider counted them, or estimated if it did not.',
  { gen_ai_provider_name: [], gen_ai_token_type: [] },
);
const cost = createCounter(
  'parley_model_cost_usd_total',
  'Cost of model calls at the prices in MODELS or of the tenant’s own model, in US dollars.',
  { gen_ai_provider_name: [] },
);

/** A tenant's own server may send any text as the name of its model. */
const maxNameLength = 100;

interface Usage {
  inputTokens: number;
  outputTokens: number;
}

export interface ModelCallProgress {
  /** The first part of the response arrived. */
  started(): void;
  used(usage: Usage): void;
  /** What the provider says about its response. */
  described(response: { model?: string | undefined; finishReason?: string }): void;
}

/** Measures and traces one call of a model. */
export function measureModelCall<T>(
  operation: Operation,
  connection: Pick<ModelConnection, 'model' | 'inputPrice' | 'outputPrice'> & { provider: Provider },
  errorTypeOf: (error: unknown) => string,
  call: (progress: ModelCallProgress) => Promise<T>,
): Promise<T> {
  const provider = nameOf(connection.provider);
  const startedAt = performance.now();
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': connection.model,
  };
  const measure = async (span: Span) => {
    let hasStarted = false;
    const done = (errorType: string) =>
      durations
        .with({ gen_ai_operation_name: operation, gen_ai_provider_name: provider, error_type: errorType })
        .observe(secondsSince(startedAt));
    try {
      const result = await call({
        started: () => {
          if (hasStarted) return;
          hasStarted = true;
          firstChunks.with({ gen_ai_provider_name: provider }).observe(secondsSince(startedAt));
        },
        used: ({ inputTokens, outputTokens }) => {
          tokens.inc({ gen_ai_provider_name: provider, gen_ai_token_type: 'input' }, inputTokens);
          tokens.inc({ gen_ai_provider_name: provider, gen_ai_token_type: 'output' }, outputTokens);
          cost.inc({ gen_ai_provider_name: provider }, costMicros(connection, { inputTokens, outputTokens }) / 1e6);
          span.setAttribute('gen_ai.usage.input_tokens', inputTokens);
          if (operation === 'chat') span.setAttribute('gen_ai.usage.output_tokens', outputTokens);
        },
        described: ({ model, finishReason }) => {
          if (model) span.setAttribute('gen_ai.response.model', model.slice(0, maxNameLength));
          if (finishReason) span.setAttribute('gen_ai.response.finish_reasons', [finishReason]);
        },
      });
      done('');
      return result;
    } catch (error) {
      done(errorTypeOf(error));
      throw error;
    }
  };
  return inSpan(`${operation} ${connection.model}`, { kind: SpanKind.CLIENT, attributes }, measure, errorTypeOf);
}
