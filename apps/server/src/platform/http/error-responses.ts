import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { fromDatabaseError } from '../db.ts';
import { AppError, invalid, isCodeMissing, statusOf, unavailable, type Code } from '../errors.ts';
import { RateLimited, rateHeaders } from '../rate-limit.ts';
import { idsOf, logOf } from './request-log.ts';

/** The body of every error response. */
export const ErrorBody = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(statusOf) as [Code, ...Code[]]).describe('The type of error.'),
      reason: z.string().describe('A stable, machine-readable cause. Branch on this.'),
      message: z.string().describe('A human-readable explanation with the next step. The wording may change.'),
      requestId: z.string().describe('Include this when you contact support.'),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'Error' });

export const errorBody = (
  { code, reason, message, details }: AppError,
  requestId: string,
): z.input<typeof ErrorBody> => ({
  error: { code, reason, message, requestId, ...(details && { details: [...details] }) },
});

/**
 * Serializes a response by its contract: unknown fields are dropped, and a mismatch is a bug and returns 500.
 * Uses `parse`, which zod compiles. The library's own serializer encodes, for transforms that our responses do not use.
 */
export const serializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  return (data) => JSON.stringify(schema.parse(data));
};

/** Fastify's own errors for requests it could not parse. */
const fastifyErrors: Record<string, [Code, reason: string, message: string]> = {
  FST_ERR_BAD_URL: ['VALIDATION_ERROR', 'invalid_url', 'The path is not a valid URL.'],
  FST_ERR_MAX_PARAM_LENGTH: ['VALIDATION_ERROR', 'invalid_url', 'A path parameter is too long.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'PAYLOAD_TOO_LARGE',
    'body_too_large',
    'The request body is larger than this route allows.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'unsupported_media_type',
    'Send JSON with Content-Type: application/json.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['VALIDATION_ERROR', 'invalid_json', 'Content-Type is JSON, but the body is empty.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['VALIDATION_ERROR', 'invalid_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'VALIDATION_ERROR',
    'invalid_content_length',
    'Content-Length does not match the length of the body.',
  ],
};

/** Limits the size of an error response. */
const maxDetails = 20;

function toAppError(error: Error & { code?: string; statusCode?: number }): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    return invalid(
      'invalid_fields',
      error.validation
        .slice(0, maxDetails)
        .map(({ instancePath, message }) => ({ path: instancePath || '/', message: message ?? '' })),
    );
  }
  const mapped = fastifyErrors[error.code ?? ''];
  if (mapped) return new AppError(...mapped);
  // All other 4xx errors of Fastify and the JSON parser are client errors. Their messages are not passed on.
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('VALIDATION_ERROR', 'malformed_request', 'The request could not be parsed.', { cause: error });
  }
  if (isCodeMissing(error))
    return unavailable('release_replaced', 'This server is being upgraded. Try again in a moment.', error);
  return (
    fromDatabaseError(error) ??
    new AppError('INTERNAL', 'internal_error', 'Something went wrong on our side. The error has been logged.', {
      cause: error,
    })
  );
}

/** Converts a thrown error to an AppError, logs it if it is a server error, and sets its response headers. */
export function recordError(thrown: Error, request: FastifyRequest, reply: FastifyReply): AppError {
  const error = toAppError(thrown);
  request.errorReason = error.reason;
  // Under an overload, the line of each request is enough.
  if (error.status >= 500 && error.reason !== 'busy')
    logOf(request).error({ ...idsOf(request), err: error.cause ?? error }, error.reason);
  if (error instanceof RateLimited) {
    reply.headers(rateHeaders(error.state)).header('retry-after', error.state.resetSeconds);
  }
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
  if (error.code === 'UNAVAILABLE') reply.header('retry-after', error.retryAfterSeconds);
  return error;
}
