import { EgressFailed, EgressRefused } from './safe-fetch.ts';

type Reason = 'timeout' | 'unavailable' | 'rate_limited' | 'refused' | 'invalid_response';

/**
 * The model returned no text. Keeps neither the original error nor its message: these contain the prompt, and providers
 * repeat the key in theirs.
 */
export class ModelFailed extends Error {
  readonly reason: Reason;
  /** The HTTP status of the provider, if there was a response. */
  readonly status: number | undefined;
  /** The request was not sent or was rejected, so it cost nothing. Otherwise the cost is unknown. */
  readonly isFree: boolean;

  constructor(reason: Reason, why: string, { status, isFree = false }: { status?: number; isFree?: boolean } = {}) {
    super(`The model failed: ${reason} (${why}).`);
    this.name = 'ModelFailed';
    this.reason = reason;
    this.status = status;
    this.isFree = isFree;
  }
}

/** Converts an error of the AI SDK or of the HTTP client. */
export function explainFailure(error: unknown): ModelFailed {
  if (error instanceof ModelFailed) return error;
  if (error === undefined) return new ModelFailed('invalid_response', 'ended without a response');
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressRefused) return new ModelFailed('refused', cause.reason, { isFree: true });
    if (cause instanceof EgressFailed) {
      const isFree = cause.step === 'dns' || cause.step === 'connect'; // nothing was sent before this
      return new ModelFailed(byEgress[cause.reason] ?? 'unavailable', cause.reason, { isFree });
    }
  }
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  if (typeof statusCode === 'number' && statusCode >= 300)
    return new ModelFailed(byStatus(statusCode), `HTTP ${statusCode}`, { status: statusCode, isFree: true });
  if (error instanceof Error) return new ModelFailed('invalid_response', 'unexpected response');
  const { type, code } = (error ?? {}) as { type?: unknown; code?: unknown }; // an error sent instead of text
  const isRate = /rate|quota|429/i.test(`${String(type)} ${String(code)}`);
  return new ModelFailed(isRate ? 'rate_limited' : 'unavailable', 'the provider reported an error');
}

const byEgress: Partial<Record<EgressFailed['reason'], Reason>> = {
  timeout: 'timeout',
  aborted: 'timeout', // only our own timeouts abort here
  bad_response: 'invalid_response',
  headers_too_large: 'invalid_response',
  too_large: 'invalid_response',
};

function byStatus(status: number): Reason {
  if (status === 429) return 'rate_limited';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'unavailable' : 'refused';
}
