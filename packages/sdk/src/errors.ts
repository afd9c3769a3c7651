import type { ApiErrorCode, ApiErrorReason } from './generated/operations.ts';

/** `NETWORK`: there was no response. `UNEXPECTED_RESPONSE`: the response is not from the API, but from a proxy or a wrong URL. */
export type ErrorCode = ApiErrorCode | 'NETWORK' | 'UNEXPECTED_RESPONSE';

/** The known reasons, for autocompletion, and any other string, because a newer service may add reasons. */
export type ErrorReason = ApiErrorReason | (string & {});

interface ErrorFields {
  code: ErrorCode;
  reason: ErrorReason;
  status: number | null;
  requestId: string;
  details?: readonly { path: string; message: string }[];
  retryAfterMs?: number | null;
  cause?: unknown;
}

/**
 * Thrown by every method when it fails. Branch on `reason`, which is stable; show or log `message` and `requestId`.
 *
 * @example
 * try {
 *   await parley.getBot({ path: { id } });
 * } catch (error) {
 *   if (error instanceof ParleyError && error.reason === 'bot_not_found') return null;
 *   throw error;
 * }
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly code: ErrorCode;
  /** The exact cause, as a stable identifier. */
  readonly reason: ErrorReason;
  /** HTTP status code. null if there was no response. */
  readonly status: number | null;
  /** Include it when you contact support. Without a response, it is the `X-Request-Id` that was sent. */
  readonly requestId: string;
  /** Which fields are invalid, and why. */
  readonly details: readonly { path: string; message: string }[];
  /** From `Retry-After`, if the service sent it. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { code, reason, status, requestId, details, retryAfterMs, cause }: ErrorFields) {
    super(message, { cause });
    this.code = code;
    this.reason = reason;
    this.status = status;
    this.requestId = requestId;
    this.details = details ?? [];
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

interface ErrorBody {
  error: Pick<ErrorFields, 'reason' | 'requestId' | 'details'> & { code: ApiErrorCode; message: string };
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof (body as Partial<ErrorBody> | null)?.error?.reason === 'string';

export function errorFromResponse(response: Response, body: unknown, sentId: string): ParleyError {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? sentId;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'));
  if (isErrorBody(body)) {
    const { message, details = [], ...fields } = body.error;
    const lines = details.map((detail) => `\n  ${detail.path}: ${detail.message}`);
    return new ParleyError(message + lines.join(''), { ...fields, details, status, retryAfterMs });
  }
  const advice =
    status >= 300 && status < 400
      ? 'The server redirected the request: check apiUrl.'
      : 'A proxy may have responded, or apiUrl is wrong.';
  return new ParleyError(`Received ${status} with an unexpected body. ${advice}`, {
    code: 'UNEXPECTED_RESPONSE',
    reason: `http_${status}`,
    status,
    requestId,
    retryAfterMs,
  });
}

export function networkError(cause: unknown, url: string, requestId: string): ParleyError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  // The message of `fetch` is generic; its cause has the details (`ECONNREFUSED`).
  const causeMessage =
    cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause);
  const message = isTimeout ? 'Request timed out' : `Request failed: ${causeMessage}`;
  const reason = isTimeout ? 'timeout' : 'no_response';
  return new ParleyError(`${message} (${new URL(url).origin})`, {
    code: 'NETWORK',
    reason,
    status: null,
    requestId,
    cause,
  });
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
