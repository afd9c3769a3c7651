/** All error codes. Codes and reasons are stable; messages may change. */
export const statusOf = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  FEATURE_NOT_ENTITLED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;
export type Code = keyof typeof statusOf;
type Details = readonly { path: string; message: string }[];

/** The only error we throw deliberately. `message` and `details` are for the caller, `cause` is for the log. */
export class AppError extends Error {
  readonly code: Code;
  readonly reason: string;
  readonly details: Details | undefined;
  /** Of a 503. */
  readonly retryAfterSeconds: number;

  constructor(
    code: Code,
    reason: string,
    message: string,
    { details, cause, retryAfterSeconds = 2 }: { details?: Details; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

export const invalid = (reason: string, details: Details) =>
  new AppError('VALIDATION_ERROR', reason, 'Some fields are not valid. See details.', { details });

/** The credential is forged or does not exist, which counts as a failed authentication. An expired one does not. */
export class InvalidCredential extends AppError {
  constructor(reason: string, message: string) {
    super('UNAUTHORIZED', reason, message);
  }
}

export const unauthorized = (reason: string, message: string) => new AppError('UNAUTHORIZED', reason, message);
export const forbidden = (reason: string, message: string) => new AppError('FORBIDDEN', reason, message);

/** Lists all missing permissions, so that a key has to be changed only once. */
export function permissionMissing(missing: readonly string[], hint = 'Ask an owner or admin of your organisation.') {
  const named = new Intl.ListFormat('en').format(missing.map((permission) => `'${permission}'`));
  return new AppError(
    'FORBIDDEN',
    'permission_missing',
    `This needs the ${missing.length === 1 ? 'permission' : 'permissions'} ${named}. ${hint}`,
    { details: missing.map((permission) => ({ path: '/permissions', message: permission })) },
  );
}
export const conflict = (reason: string, message: string) => new AppError('CONFLICT', reason, message);
export const unavailable = (reason: string, message: string, cause?: unknown) =>
  new AppError('UNAVAILABLE', reason, message, { cause });

/** More than this process can do now. Nothing is broken. */
export const busy = (message: string, retryAfterSeconds = 2) =>
  new AppError('UNAVAILABLE', 'busy', message, { retryAfterSeconds });

/** Code that is loaded on first use is gone: the files of this release were replaced while the process was running. */
export const isCodeMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND');

/** Also for objects of other tenants, so that their existence is not revealed. */
export const notFound = (resource: string) =>
  new AppError('NOT_FOUND', `${resource}_not_found`, `No such ${resource.replaceAll('_', ' ')}.`);

/** The row, or 404. */
export function orNotFound<T>(resource: string, row: T | undefined): T {
  if (row === undefined) throw notFound(resource);
  return row;
}
