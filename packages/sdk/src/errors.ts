import type { ApiErrorCode, ApiErrorReason } from './generated/operations.ts';

/** `NETWORK`: nothing came back. `UNEXPECTED_ANSWER`: something did, but not from the API: a proxy, a wrong address. */
export type ErrorCode = ApiErrorCode | 'NETWORK' | 'UNEXPECTED_ANSWER';

/** The words that are known, offered by your editor; and any other, which a newer service may say. */
export type ErrorReason = ApiErrorReason | (string & {});

interface Facts {
  code: ErrorCode;
  reason: ErrorReason;
  status: number | null;
  requestId: string;
  details?: readonly { path: string; message: string }[];
  retryAfterMs?: number | null;
  cause?: unknown;
}

/**
 * What every method throws when it does not succeed. Branch on `reason`, which is stable; show or log `message` and
 * `requestId`.
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
  /** The exact rule, as a stable word. */
  readonly reason: ErrorReason;
  /** null where nothing came back. */
  readonly status: number | null;
  /** Name it when you ask us about this. Where nothing came back, it is what we sent as `X-Request-Id`. */
  readonly requestId: string;
  /** Which fields are not valid, and why. */
  readonly details: readonly { path: string; message: string }[];
  /** How long to wait, where the service said so. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { code, reason, status, requestId, details, retryAfterMs, cause }: Facts) {
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
  error: Pick<Facts, 'reason' | 'requestId' | 'details'> & { code: ApiErrorCode; message: string };
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof (body as Partial<ErrorBody> | null)?.error?.reason === 'string';

export function refused(response: Response, body: unknown, sentId: string): ParleyError {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? sentId;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'));
  if (isErrorBody(body)) {
    const { message, details = [], ...facts } = body.error;
    const lines = details.map((detail) => `\n  ${detail.path}: ${detail.message}`);
    return new ParleyError(message + lines.join(''), { ...facts, details, status, retryAfterMs });
  }
  const advice =
    status >= 300 && status < 400
      ? 'The server redirected the request: check apiUrl.'
      : 'A proxy may have responded, or apiUrl is wrong.';
  return new ParleyError(`Received ${status} with an unexpected body. ${advice}`, {
    code: 'UNEXPECTED_ANSWER',
    reason: `http_${status}`,
    status,
    requestId,
    retryAfterMs,
  });
}

export function unanswered(cause: unknown, url: string, requestId: string): ParleyError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  // The platform's own error is short; what it was caused by says more (`ECONNREFUSED`).
  const inner = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause);
  const message = isTimeout ? 'Request timed out' : `Request failed: ${inner}`;
  const reason = isTimeout ? 'timeout' : 'no_answer';
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
