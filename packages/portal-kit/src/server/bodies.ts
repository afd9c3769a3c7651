import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { HttpError } from './http-error.ts';

const maxBytes = 64 * 1_024;

/** Parses a JSON body. Fastify leaves bodies unparsed, because most are only proxied. */
export async function readJson<T>(request: FastifyRequest, schema: z.ZodType<T>): Promise<T> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new HttpError(400, 'json_expected', 'The request body must be JSON.');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new HttpError(413, 'body_too_large', 'The request body is too large.');
  const bytes = await buffer(request.body as Readable);
  if (bytes.length > maxBytes) throw new HttpError(413, 'body_too_large', 'The request body is too large.');
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new HttpError(400, 'json_expected', 'The request body must be JSON.');
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new HttpError(400, 'invalid_fields', z.prettifyError(parsed.error));
  return parsed.data;
}
