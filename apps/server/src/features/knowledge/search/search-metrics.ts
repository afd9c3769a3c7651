import { createHistogram, secondsSince } from '../../../platform/metrics/histogram.ts';
import { createCounter } from '../../../platform/metrics/instruments.ts';
import { inSpan } from '../../../platform/spans.ts';

/** `hybrid`: by tokens and by the vector of the question. */
type Kind = 'tokens' | 'hybrid';

const durations = createHistogram({
  name: 'parley_retrieval_duration_seconds',
  help: 'Time to find the chunks for a question, without its embedding.',
  labelNames: ['kind'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
});
const retrievals = createCounter('parley_retrievals_total', 'Searches of the knowledge, by what they found.', {
  outcome: ['found', 'empty', 'error'],
});

/** Measures and traces a search of the knowledge. */
export function measureRetrieval<T extends { chunks: readonly unknown[] }>(
  kind: Kind,
  search: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  return inSpan('retrieval', { attributes: { 'gen_ai.operation.name': 'retrieval' } }, async (span) => {
    let outcome: 'found' | 'empty' | 'error' = 'error';
    try {
      const result = await search();
      outcome = result.chunks.length > 0 ? 'found' : 'empty';
      span.setAttribute('parley.retrieval.chunks', result.chunks.length);
      return result;
    } finally {
      retrievals.inc({ outcome });
      durations.with({ kind }).observe(secondsSince(startedAt));
    }
  });
}
