/** An error response of the portal, in the format of the API. */
export class HttpError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const codes: Record<number, string> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  503: 'UNAVAILABLE',
};

export const toErrorBody = ({ status, reason, message }: HttpError, requestId: string) => ({
  error: { code: codes[status] ?? 'INTERNAL', reason, message, requestId },
});
